import { OutboundFailed } from '../../platform/index.ts';
import { createPlaceCheck, plainHost } from '../catalogue/known-hosts.ts';
import { toShowableCode } from '../catalogue/provider-failure.ts';
import { type AskContext, isOperators, type Target } from '../requests/ask-provider.ts';
import { type CheckStep, notPassed, passed } from './check-step.ts';

const NAME = 'authorization page';
const CONFIRMED = ['authorize.url'];
const TIMEOUT_MS = 10_000;
/** Enough for any page. Only its status and headers are used. */
const MOST_BYTES = 2 * 2 ** 20;

const judgeRedirect = (location: string, from: string, redirectUri: string): CheckStep => {
  const to = URL.parse(location, from);
  if (!to) return notPassed(NAME, 'unclear', 'It redirects to an address that cannot be read.');
  if (!to.href.startsWith(redirectUri)) return passed(NAME, `It leads to ${to.host}.`, CONFIRMED);
  const code = toShowableCode(to.searchParams.get('error'));
  return notPassed(
    NAME,
    'failed',
    code === null
      ? 'It redirected back at once, without asking anyone and without an error code. Open it in a browser.'
      : `It refused the request with "${code}". Check the scopes and params of the entry.`,
  );
};

/** Requests the page that a person sees when connecting. Its redirects aren't followed. */
export const checkAuthorizationPage = async (
  { outbound }: Pick<AskContext, 'outbound'>,
  { provider, client }: Target,
  { url, redirectUri }: { url: string; redirectUri: string },
): Promise<CheckStep> => {
  const mayReceive = createPlaceCheck(provider.record, client.params);
  try {
    const { status, headers } = await outbound.request({
      url,
      headers: { accept: 'text/html', 'user-agent': 'Patchbay' },
      timeoutMs: TIMEOUT_MS,
      mostBytes: MOST_BYTES,
      hosts: () => mayReceive(new URL(url)),
      trusted: isOperators(provider, plainHost(new URL(url))),
    });
    if (status >= 300 && status < 400) return judgeRedirect(headers.location ?? '', url, redirectUri);
    if (status < 300) return passed(NAME, `It responded with ${status}.`, CONFIRMED);
    if (status === 403 || status === 429)
      return notPassed(NAME, 'unclear', `It responded with ${status}, as pages do to programs. Open it in a browser.`);
    return notPassed(
      NAME,
      'failed',
      `It responded with ${status}. Check that the client ID is right and ${redirectUri} is registered with it, and then authorize.url.`,
    );
  } catch (error) {
    if (!(error instanceof OutboundFailed)) throw error;
    const why =
      error.reason === 'refused_host'
        ? "Nothing was sent, because its host is not one of the entry's. Check authorize.url, domains, and params."
        : `It could not be reached (${error.reason}). Check authorize.url.`;
    return notPassed(NAME, 'failed', why);
  }
};
