import type { TelephonyAccount } from '../accounts/account.ts';
import type { TelephonyContext } from '../context.ts';
import type { Delivery } from '../contract/delivery.ts';
import { headerOf } from '../contract/delivery.ts';
import type { DeliveryVerdict, TelephonyProvider, VerifyContext } from '../contract/provider.ts';

export type RefusalReason = Extract<DeliveryVerdict, { ok: false }>['reason'];

/** One setting that may differ from what was signed, and the hint that an admin gets if it does. */
type Change = { delivery: Delivery; context: VerifyContext; hint: string };

const withTarget = (delivery: Delivery, change: (path: string) => string): Delivery => {
  const [path = '', ...query] = delivery.target.split('?');
  return { ...delivery, target: [change(path), ...query].join('?') };
};

/** Longest host name in the DNS. A longer one can't be the cause. */
const MOST_HOST_CHARACTERS = 253;

/**
 * Lists public URLs with the hosts that the request's headers name, because a proxy may have changed the host. Each is
 * only a guess, which is right if the signature is valid for that URL.
 */
const otherHosts = (delivery: Delivery, publicUrl: URL): URL[] => {
  const said = ['host', 'x-forwarded-host'].flatMap((name) => headerOf(delivery, name)?.split(',')[0]?.trim() ?? []);
  return said.flatMap((host) => {
    const url = URL.parse(`${publicUrl.protocol}//${host}`);
    return url && url.host !== publicUrl.host && url.hostname.length <= MOST_HOST_CHARACTERS ? [url] : [];
  });
};

const listChanges = (delivery: Delivery, context: VerifyContext): Change[] => {
  const publicUrl = new URL(context.publicUrl);
  const at = (url: URL, hint: string): Change => ({
    delivery,
    context: { ...context, publicUrl: url.origin },
    hint,
  });
  const otherScheme = new URL(publicUrl);
  otherScheme.protocol = publicUrl.protocol === 'https:' ? 'http:' : 'https:';
  return [
    at(otherScheme, `scheme: signed for ${otherScheme.protocol}//, but PATCHBAY_URL has ${publicUrl.protocol}//`),
    ...otherHosts(delivery, publicUrl).map((url) => {
      const both = new URL(url);
      both.protocol = otherScheme.protocol;
      return at(both, `scheme and host: signed for ${both.origin}, so set PATCHBAY_URL to that`);
    }),
    ...otherHosts(delivery, publicUrl).map((url) =>
      at(
        url,
        url.hostname === publicUrl.hostname
          ? `port: signed for ${url.host}, but PATCHBAY_URL has ${publicUrl.host}`
          : `host: signed for ${url.host}, but PATCHBAY_URL has ${publicUrl.host}`,
      ),
    ),
    {
      delivery: withTarget(delivery, (path) => (path.endsWith('/') ? path.slice(0, -1) : `${path}/`)),
      context,
      hint: 'trailing slash: the URL at the provider ends differently from the one received here',
    },
  ];
};

/** Hints that need no search for the cause. */
export const REASONS: Readonly<Record<RefusalReason, string>> = {
  missing: 'no signature; check that the provider itself calls this URL',
  stale: "the signature is too old, or this server's clock is wrong",
  malformed: "the request or its signature isn't in the provider's format",
  bad_signature: 'most likely, the secret here is not the one at the provider; compare them',
};

type Suspects = { account: TelephonyAccount; neighbours: readonly TelephonyAccount[]; context: VerifyContext };

/**
 * Finds which single change would have made a request with a bad signature valid, as a hint for an admin. Each
 * candidate costs up to ten signatures over the whole body, so other work runs in between.
 */
export const diagnoseRefusal = async (
  { turns }: Pick<TelephonyContext, 'turns'>,
  provider: TelephonyProvider,
  delivery: Delivery,
  { account, neighbours, context }: Suspects,
): Promise<string> => {
  const fits = async (
    change: Pick<Change, 'delivery' | 'context'>,
    { secrets }: TelephonyAccount,
  ): Promise<boolean> => {
    await turns.wait();
    const verdict = provider.verify(change.delivery, secrets, change.context);
    return verdict.ok || verdict.reason === 'malformed';
  };
  for (const change of listChanges(delivery, context)) if (await fits(change, account)) return change.hint;
  for (const neighbour of neighbours)
    if (await fits({ delivery, context }, neighbour)) return `key: signed with the secret of account ${neighbour.id}`;
  return REASONS.bad_signature;
};
