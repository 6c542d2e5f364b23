import { type Html, html } from '../../../../platform/index.ts';
import type { SetupTest } from '../../../../telephony/index.ts';

type Check = { what: string; state: 'good' | 'bad' | 'untested'; words: Html | string };

const WHAT = {
  reached: 'The public address reaches this service',
  address: 'The address arrives as it was sent',
  signature: 'A signed notice is verified',
} as const;

const UNSIGNED_REASONS = {
  missing: 'The signature has not arrived: something in between drops the header that carries it.',
  bad_signature: 'Something in between changes the content: what arrived is not what was signed.',
  stale: 'The signature counts as too old: the clocks of the machines that serve this differ.',
  malformed: 'Something in between changes the request: it is not as it was sent.',
} as const;

const good = (what: string): Check => ({ what, state: 'good', words: '' });
const untested = (what: string, words = 'Not tried.'): Check => ({ what, state: 'untested', words });
const unreached = (words: Html | string): Check[] => [
  { what: WHAT.reached, state: 'bad', words },
  untested(WHAT.address),
  untested(WHAT.signature),
];

const checksOf = (test: SetupTest, url: string, providerName: string): Check[] => {
  switch (test.outcome) {
    case 'unreachable':
      return unreached(
        html`Nothing answers at ${url}. ${test.detail} Look at the name in the DNS, the certificate, the firewall and the proxy, and whether <code>PATCHBAY_URL</code> is right. Some networks do not lead from within to their own public address: then try it from outside.`,
      );
    case 'redirected':
      return unreached(
        html`${url} leads on to <code>${test.location || 'nowhere'}</code>. Signatures cover the address: set <code>PATCHBAY_URL</code> to the one where it ends.`,
      );
    case 'other_service':
      return unreached(
        html`Something else answers at ${url} (${test.method}, status ${test.status}): another service, a sign-in before it, or a proxy that changes the path.`,
      );
    case 'account_unseen':
      return unreached(
        html`A Patchbay answers at ${url}, and it has not seen the account: it is another one, or a proxy drops what follows the question mark, or the header <code>patchbay-test</code>.`,
      );
    case 'address_changed':
      return [
        good(WHAT.reached),
        {
          what: WHAT.address,
          state: 'bad',
          words: html`A proxy changes it. Sent: <code>${test.sent}</code>, arrived: <code>${test.arrived}</code>. Let it pass path and query on as they come.`,
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
        untested(WHAT.signature, `Only ${providerName} itself can sign: make a call to try it.`),
      ];
    case 'works':
      return [good(WHAT.reached), good(WHAT.address), good(WHAT.signature)];
  }
};

const STATES = { good: 'Yes', bad: 'No', untested: 'Open' } as const;

const summaryOf = ({ outcome }: SetupTest, providerName: string): Html | string => {
  if (outcome === 'works' || outcome === 'signature_untested')
    return `This end works. Whether ${providerName} has the addresses, a call will tell.`;
  return 'This does not work yet.';
};

/** What a test of the set-up has shown, in the order in which a call would fail. */
export const setupTestResult = (test: SetupTest, url: string, providerName: string): Html =>
  html`<div class="phone-test" role="status"><p><strong>${summaryOf(test, providerName)}</strong></p>
<ul>${checksOf(test, url, providerName).map(
    ({ what, state, words }) =>
      html`<li><span class="state${state === 'untested' ? '' : html` ${state}`}">${STATES[state]}</span><span>${what}${words ? html`<br><span class="quiet">${words}</span>` : ''}</span></li>`,
  )}</ul></div>`;
