import { randomBytes } from 'node:crypto';
import { headerOf } from '../../contract/delivery.ts';
import { toParty } from '../../contract/party.ts';
import type { ProviderAccount, RecordingLocator, TelephonyProvider } from '../../contract/provider.ts';
import type { Dialect } from '../../markup/dialect.ts';
import { factsOfMarkup, keyOfMarkup } from '../../markup/facts.ts';
import { paramsOf } from '../../markup/params.ts';
import { acknowledge, occasionOf, renderMarkup } from '../../markup/reply.ts';
import { sampleMarkup } from '../../markup/sample-notice.ts';
import { signMarkup, tellMarkup } from '../../markup/simulate.ts';
import { verifyMarkup } from '../../markup/verify.ts';

const CALL = /^CA[0-9a-f]{32}$/i;
const SIGNATURE = 'x-twilio-signature';

const DIALECT: Dialect = {
  signatureHeaders: [SIGNATURE],
  ids: {
    CallSid: CALL,
    ParentCallSid: CALL,
    DialCallSid: CALL,
    AccountSid: /^AC[0-9a-f]{32}$/i,
    RecordingSid: /^RE[0-9a-f]{32}$/i,
  },
};

/** Without it, a 5xx isn't retried (docs: "Webhooks connection overrides"; seen November 2026). */
const RETRY = '#rc=3&rp=5xx,ct,rt';

const HOST = 'api.twilio.com';
/** For some accounts, media redirects to a CDN (seen November 2026). */
const REDIRECT_HOSTS = ['.twilio.com', '.twiliocdn.com'];

/** The API key if there is one, else the auth token that verifies deliveries. */
const authorize = ({ accountId, secrets, api }: ProviderAccount): string => {
  const user = api['keySid'] ?? accountId ?? '';
  const password = api['keySid'] ? (api['keySecret'] ?? '') : (secrets[0]?.value ?? '');
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
};

const resourceOf =
  (extension: string) =>
  ({ recordingId }: RecordingLocator, account: ProviderAccount) =>
    account.accountId === null
      ? { missing: 'the Account SID' }
      : {
          url: `https://${HOST}/2010-04-01/Accounts/${account.accountId}/Recordings/${recordingId}${extension}`,
          headers: { authorization: authorize(account) },
          hosts: [HOST],
          redirectHosts: REDIRECT_HOSTS,
        };

/** Twilio: form or query params, HMAC-SHA1 with the account's auth token, TwiML. */
export const twilio: TelephonyProvider = {
  id: 'twilio',
  name: 'Twilio',
  rules: {
    accountId: {
      label: 'Account SID',
      pattern: DIALECT.ids.AccountSid,
      hint: 'the Account SID: AC followed by 32 hex digits',
    },
    secret: {
      label: 'Auth token',
      pattern: /^\S{8,128}$/,
      hint: 'the primary auth token of the account that owns the number',
    },
    api: {
      keySid: {
        label: 'API key SID',
        pattern: /^SK[0-9a-f]{32}$/i,
        hint: "an API key, if you don't want to use the auth token for recordings",
        input: 'text',
      },
      keySecret: { label: 'API key secret', pattern: /^\S{8,128}$/, hint: "the API key's secret" },
    },
  },
  challenge: null,
  recognizes: (delivery) => {
    const account = paramsOf(delivery).get('AccountSid');
    return account === undefined ? headerOf(delivery, SIGNATURE) !== null : DIALECT.ids.AccountSid.test(account);
  },
  accountIdOf: (delivery) => paramsOf(delivery).get('AccountSid') ?? null,
  verify: verifyMarkup(DIALECT),
  keyOf: keyOfMarkup,
  factsOf: factsOfMarkup,
  occasionOf,
  calledParty: (delivery) => toParty(paramsOf(delivery).get('To')),
  render: renderMarkup,
  acknowledge,
  advise: ({ voice, recording }) => ({
    voiceUrl: `${voice}${RETRY}`,
    statusUrl: `${voice}&step=status${RETRY}`,
    recordingUrl: `${recording}${RETRY}`,
    notes: [
      'Go to Phone Numbers → your number → Voice. Set "A call comes in" to the voice URL, with HTTP POST.',
      'Set "Call status changes" to the status URL, with HTTP POST.',
      "The secret is the primary auth token of the account that owns the number. An API key can't verify webhooks.",
    ],
  }),
  mediaOf: resourceOf('.mp3'),
  removalOf: resourceOf('.json'),
  sampleNotice: sampleMarkup(SIGNATURE, `CA${'0'.repeat(32)}`),
  simulator: {
    newAccountId: () => `AC${randomBytes(16).toString('hex')}`,
    newSecret: () => randomBytes(16).toString('hex'),
    api: {},
    tell: tellMarkup({ call: (id) => `CA${id}`, recording: (id) => `RE${id}` }),
    sign: signMarkup(SIGNATURE),
  },
};
