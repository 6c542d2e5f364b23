import type { Account } from '../accounts/account.ts';
import type { Delivery } from '../contract/delivery.ts';
import { headerOf } from '../contract/delivery.ts';
import type { TelephonyProvider, Verdict, VerifyContext } from '../contract/provider.ts';

export type RefusalReason = Extract<Verdict, { ok: false }>['reason'];

/** One thing that may be set differently from what was signed, and what an admin is told if it is that. */
type Change = { delivery: Delivery; context: VerifyContext; hint: string };

const withTarget = (delivery: Delivery, change: (path: string) => string): Delivery => {
  const [path = '', ...query] = delivery.target.split('?');
  return { ...delivery, target: [change(path), ...query].join('?') };
};

/** The address as somebody before us may have changed it. Only asked of, never believed: the signature must fit. */
const otherHosts = (delivery: Delivery, publicUrl: URL): URL[] => {
  const said = ['host', 'x-forwarded-host'].flatMap((name) => headerOf(delivery, name)?.split(',')[0]?.trim() ?? []);
  return said.flatMap((host) => {
    const url = URL.parse(`${publicUrl.protocol}//${host}`);
    return url && url.host !== publicUrl.host ? [url] : [];
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
    at(otherScheme, `scheme: ${otherScheme.protocol}// was signed, PATCHBAY_URL begins with ${publicUrl.protocol}//`),
    ...otherHosts(delivery, publicUrl).map((url) => {
      const both = new URL(url);
      both.protocol = otherScheme.protocol;
      return at(both, `scheme and host: ${both.origin} was signed: set PATCHBAY_URL to it`);
    }),
    ...otherHosts(delivery, publicUrl).map((url) =>
      at(
        url,
        url.hostname === publicUrl.hostname
          ? `port: ${url.host} was signed, PATCHBAY_URL says ${publicUrl.host}`
          : `host: ${url.host} was signed, PATCHBAY_URL says ${publicUrl.host}`,
      ),
    ),
    {
      delivery: withTarget(delivery, (path) => (path.endsWith('/') ? path.slice(0, -1) : `${path}/`)),
      context,
      hint: 'trailing slash: the address at the provider ends differently from the one that arrives here',
    },
  ];
};

const REASONS: Readonly<Record<RefusalReason, string>> = {
  missing: 'there is no signature: is the address called by the provider itself?',
  stale: 'the signature is too old, or the clock here is wrong',
  malformed: 'the request, or its signature, is not as the provider writes them',
  bad_signature: 'no single change makes it fit: compare the secret with the one at the provider',
};

/** Says which single change would have made a refused request fit, in words for an admin. */
export const diagnoseRefusal = (
  provider: TelephonyProvider,
  delivery: Delivery,
  reason: RefusalReason,
  { account, neighbours, context }: { account: Account; neighbours: readonly Account[]; context: VerifyContext },
): string => {
  if (reason !== 'bad_signature') return REASONS[reason];
  const fits = (change: Pick<Change, 'delivery' | 'context'>, { secrets }: Account): boolean => {
    const verdict = provider.verify(change.delivery, secrets, change.context);
    return verdict.ok || verdict.reason === 'malformed';
  };
  const change = listChanges(delivery, context).find((candidate) => fits(candidate, account));
  if (change) return change.hint;
  const neighbour = neighbours.find((candidate) => fits({ delivery, context }, candidate));
  return neighbour ? `key: it is signed with the secret of the account ${neighbour.id}` : REASONS.bad_signature;
};
