import { type Html, html } from '../../../../platform/index.ts';
import type { SetupTest } from '../../../../telephony/index.ts';

type Check = { what: string; state: 'good' | 'bad' | 'untested'; words: Html | string };

const WHAT = {
  reached: 'The public URL reaches Patchbay',
  address: 'The URL arrives unchanged',
  signature: 'A signed request is verified',
} as const;

const UNSIGNED_REASONS = {
  missing: "The signature didn't arrive. Something in between drops the header that carries it.",
  bad_signature: 'Something in between changes the content, so it no longer matches the signature.',
  stale: "The signature counts as too old. Your servers' clocks may not agree.",
  malformed: 'Something in between changes the request, so it no longer arrives as sent.',
} as const;

const good = (what: string): Check => ({ what, state: 'good', words: '' });
const untested = (what: string, words = 'An earlier check failed.'): Check => ({ what, state: 'untested', words });
const unreached = (words: Html | string): Check[] => [
  { what: WHAT.reached, state: 'bad', words },
  untested(WHAT.address),
  untested(WHAT.signature),
];

const checksOf = (test: SetupTest, url: string, providerName: string): Check[] => {
  switch (test.outcome) {
    case 'unreachable':
      return unreached(
        html`Nothing answers at ${url}. ${test.detail} Check the DNS name, the certificate, the firewall and the proxy, and whether <code>PATCHBAY_URL</code> is right. Some networks can't reach their own public URL from inside. If so, test from outside.`,
      );
    case 'redirected':
      return unreached(
        html`${url} redirects to <code>${test.location || 'nowhere'}</code>. Signatures cover the URL, so set <code>PATCHBAY_URL</code> to the one where it ends up.`,
      );
    case 'other_service':
      return unreached(
        html`Something else answers at ${url} (${test.method}, status ${test.status}): another service, a sign-in page in front of it, or a proxy that changes the path.`,
      );
    case 'account_unseen':
      return unreached(
        html`A Patchbay answers at ${url}, but it didn't see the account. It's a different Patchbay, or a proxy drops the query string or the <code>patchbay-test</code> header.`,
      );
    case 'address_changed':
      return [
        good(WHAT.reached),
        {
          what: WHAT.address,
          state: 'bad',
          words: html`A proxy changes it. Sent: <code>${test.sent}</code>, arrived: <code>${test.arrived}</code>. Set it to pass the path and query through unchanged.`,
        },
        untested(WHAT.signature),
      ];
    case 'signature_refused':
      return [
        good(WHAT.reached),
        good(WHAT.address),
        { what: WHAT.signature, state: 'bad', words: UNSIGNED_REASONS[test.reason] },
      ];
    case 'signature_untested':
      return [
        good(WHAT.reached),
        good(WHAT.address),
        untested(WHAT.signature, `Only ${providerName} itself can sign requests. Make a call to test this.`),
      ];
    case 'works':
      return [good(WHAT.reached), good(WHAT.address), good(WHAT.signature)];
  }
};

const STATES = { good: 'Yes', bad: 'No', untested: 'Skipped' } as const;

const summaryOf = ({ outcome }: SetupTest, providerName: string): Html | string => {
  if (outcome === 'works' || outcome === 'signature_untested')
    return `This end works. Make a test call to confirm that ${providerName} has these URLs.`;
  return "This doesn't work yet.";
};

/** What a setup test found, in the order in which a call would fail. */
export const setupTestResult = (test: SetupTest, url: string, providerName: string): Html =>
  html`<div class="phone-test" role="status"><p><strong>${summaryOf(test, providerName)}</strong></p>
<ul>${checksOf(test, url, providerName).map(
    ({ what, state, words }) =>
      html`<li><span class="state${state === 'untested' ? '' : html` ${state}`}">${STATES[state]}</span><span>${what}${words ? html`<br><span class="quiet">${words}</span>` : ''}</span></li>`,
  )}</ul></div>`;
