import { type Html, html, isLoopbackHost } from '../../../../platform/index.ts';
import type { SetupTest } from '../../../../telephony/index.ts';
import { state } from '../../../parts.ts';

/** The checks of a setup test, in the order in which they are made. */
const CHECKS = [
  'The public URL reaches Patchbay',
  'The URL arrives unchanged',
  'A signed request is verified',
] as const;
const [REACHED, UNCHANGED, VERIFIED] = [0, 1, 2] as const;

const UNSIGNED_REASONS = {
  missing: "The signature didn't arrive. Something along the way drops the header that carries it.",
  bad_signature: 'Something along the way changes the content, so it no longer matches the signature.',
  stale: "The signature is too old. Your servers' clocks may be out of sync.",
  malformed: 'Something along the way changes the request.',
} as const;

/** The first check that didn't pass, and the reason. */
type Finding = { check: number; tone: 'bad' | 'none'; words: Html | string };

const failed = (check: number, words: Html | string): Finding => ({ check, tone: 'bad', words });

const findingOf = (test: SetupTest, url: string, providerName: string): Finding | null => {
  switch (test.outcome) {
    case 'unreachable':
      return failed(
        REACHED,
        html`Nothing responds at ${url}. ${test.detail} Check the DNS name, certificate, firewall, and proxy, and make sure that <code>PATCHBAY_URL</code> is right. Some networks can't reach their own public URL from inside. If so, test from outside.`,
      );
    case 'redirected':
      return failed(
        REACHED,
        html`${url} redirects to <code>${test.location || 'nowhere'}</code>. Signatures cover the URL, so set <code>PATCHBAY_URL</code> to the final URL.`,
      );
    case 'other_service':
      return failed(
        REACHED,
        html`Something else responds at ${url} (${test.method}, status ${test.status}): another service, a sign-in page in front of it, or a proxy that changes the path.`,
      );
    case 'account_unseen':
      return failed(
        REACHED,
        html`Patchbay responds at ${url}, but it didn't see the account. It may be a different Patchbay, or a proxy may be dropping the query string or the <code>patchbay-test</code> header.`,
      );
    case 'address_changed':
      return failed(
        UNCHANGED,
        html`A proxy changes the URL. Sent: <code>${test.sent}</code>. Arrived: <code>${test.arrived}</code>. Configure the proxy to pass the path and query through unchanged.`,
      );
    case 'signature_refused':
      return failed(VERIFIED, UNSIGNED_REASONS[test.reason]);
    case 'signature_untested':
      return {
        check: VERIFIED,
        tone: 'none',
        words: `Only ${providerName} itself can sign requests. Make a call to test this.`,
      };
    case 'works':
      return null;
  }
};

const ANSWERS = { good: 'Yes', bad: 'No', none: 'Skipped' } as const;

const line = (what: string, tone: keyof typeof ANSWERS, words: Html | string = ''): Html =>
  html`<li>${state(tone, ANSWERS[tone])}<span>${what}${words && html`<br><span class="quiet">${words}</span>`}</span></li>`;

/** The result for a URL of this machine: the test reaches it, but no provider can. */
const localLine = (url: string): Html =>
  line(
    CHECKS[REACHED],
    'bad',
    html`${url} only works on this machine. Set <code>PATCHBAY_URL</code> to your public URL, or to a tunnel's.`,
  );

const summarize = (finding: Finding | null, isLocal: boolean, providerName: string): string => {
  if (finding?.tone === 'bad') return "This doesn't work yet.";
  return isLocal
    ? `Everything works on this machine, but ${providerName} can't reach it yet.`
    : `This side works. Make a test call to confirm that ${providerName} has these URLs.`;
};

/** The result of a setup test. */
export const setupTestResult = (test: SetupTest, url: string, providerName: string): Html => {
  const finding = findingOf(test, url, providerName);
  const isLocal = isLoopbackHost(new URL(url).hostname);
  const lines = CHECKS.map((what, check) => {
    if (check === REACHED && isLocal && finding?.check !== REACHED) return localLine(url);
    if (!finding || check < finding.check) return line(what, 'good');
    return check === finding.check
      ? line(what, finding.tone, finding.words)
      : line(what, 'none', 'An earlier check failed.');
  });
  return html`<div class="phone-test" role="status"><p><strong>${summarize(finding, isLocal, providerName)}</strong></p>
<ul>${lines}</ul></div>`;
};
