import { randomBytes } from 'node:crypto';
import { headerOf } from '../../contract/delivery.ts';
import type { ProviderAccount, RecordingLocator, TelephonyProvider } from '../../contract/provider.ts';
import { adviseWith } from '../../contract/webhook-url.ts';
import type { Dialect } from '../../markup/dialect.ts';
import { speakMarkup } from '../../markup/markup.ts';
import { paramsOf } from '../../markup/params.ts';
import { simulateMarkup } from '../../markup/simulate.ts';
import { basicAuth, requestMedia } from '../../provider-parts/request-media.ts';
import { TWILIO_VOICES } from './voices.ts';

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
  toCallSid: (hex) => `CA${hex}`,
  toRecordingSid: (hex) => `RE${hex}`,
};

/** URL fragment without which a 5xx isn't retried (docs: "Webhooks connection overrides"; seen November 2026). */
const RETRY = '#rc=3&rp=5xx,ct,rt';

/** Hosts that media may redirect to. For some accounts, this is a CDN (seen November 2026). */
const REDIRECT_HOSTS = ['.twilio.com', '.twiliocdn.com'];

/** Authorizes with the API key if there is one, or else with the auth token that verifies deliveries. */
const authorize = ({ accountId, secrets, api }: ProviderAccount): string =>
  basicAuth(
    api['keySid'] ? `${api['keySid']}:${api['keySecret'] ?? ''}` : `${accountId ?? ''}:${secrets[0]?.value ?? ''}`,
  );

const resourceOf =
  (extension: string) =>
  ({ recordingId }: RecordingLocator, account: ProviderAccount) =>
    account.accountId === null
      ? { missing: 'the Account SID' }
      : requestMedia(
          'api.twilio.com',
          `/2010-04-01/Accounts/${account.accountId}/Recordings/${recordingId}${extension}`,
          { authorization: authorize(account), redirectHosts: REDIRECT_HOSTS },
        );

/** Twilio: form or query params, HMAC-SHA1 with the account's auth token, TwiML. */
export const twilio: TelephonyProvider = {
  ...speakMarkup(DIALECT),
  id: 'twilio',
  name: 'Twilio',
  languages: TWILIO_VOICES,
  transcribes: true,
  rules: {
    accountId: {
      label: 'Account SID',
      pattern: DIALECT.ids.AccountSid,
      hint: 'AC followed by 32 digits and letters from a to f, as shown under Account Info in the Twilio Console',
    },
    secret: {
      label: 'Auth token',
      pattern: /^\S{8,128}$/,
      hint: '32 digits and letters: the primary one of the account that owns the number, as shown under Account Info in the Twilio Console',
    },
    api: {
      keySid: {
        label: 'API key SID',
        pattern: /^SK[0-9a-f]{32}$/i,
        hint: 'SK followed by 32 digits and letters from a to f, as shown under API keys & tokens in the Twilio Console',
        input: 'text',
      },
      keySecret: {
        label: 'API key secret',
        pattern: /^\S{8,128}$/,
        hint: '8 to 128 characters without spaces. Twilio shows it only once, when you create the API key',
      },
    },
    apiUse: 'Only needed if you want to use an API key for recordings. Without one, the auth token fetches them.',
  },
  recognizes: (delivery) => {
    const account = paramsOf(delivery).get('AccountSid');
    return account === undefined ? headerOf(delivery, SIGNATURE) !== null : DIALECT.ids.AccountSid.test(account);
  },
  advise: adviseWith(
    [
      'Go to Phone Numbers → your number → Voice. Set "A call comes in" to the voice URL, with HTTP POST.',
      'Set "Call status changes" to the status URL, with HTTP POST.',
      "The secret is the primary auth token of the account that owns the number. An API key can't verify webhooks.",
    ],
    RETRY,
  ),
  mediaOf: resourceOf('.mp3'),
  removalOf: resourceOf('.json'),
  simulator: {
    ...simulateMarkup(DIALECT),
    newAccountId: () => `AC${randomBytes(16).toString('hex')}`,
    newSecret: () => randomBytes(16).toString('hex'),
    api: {},
  },
};
