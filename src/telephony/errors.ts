import { type InputError, Refusal } from '../platform/index.ts';

type RefusalDetails = ConstructorParameters<typeof Refusal>[3];

const refuse = (status: number, code: string, message: string, details?: RefusalDetails) =>
  new Refusal(status, `telephony.${code}`, message, details);

const later = (seconds: number) => ({ headers: { 'retry-after': `${seconds}` } });

export const deliverySignatureInvalid = () =>
  refuse(403, 'signature_invalid', 'Invalid signature. Admins can see the reason on the account page.');

export const accountAmbiguous = () =>
  refuse(
    403,
    'account_ambiguous',
    'More than one team has an account that matches this request. At the provider, use the URLs shown on the account page, which end in ?account=….',
  );

/** Asks for credentials, because some providers send them only when asked. */
export const credentialsWanted = (challenge: string) =>
  refuse(401, 'signature_invalid', 'Send the username and password that are set for this webhook.', {
    headers: { 'www-authenticate': challenge },
  });

export const notKept = () => refuse(503, 'not_kept', "The delivery couldn't be stored. Send it again.", later(5));

export const tooBusy = () =>
  refuse(503, 'too_busy', 'Too many large deliveries are waiting to be verified. Send it again.', later(5));

export const notReady = () => refuse(503, 'not_ready', "Accounts aren't loaded yet. Send it again.", later(2));

export const accountUnknown = () => refuse(404, 'account_unknown', 'Telephony account not found.');

export const accountIsDemo = () =>
  refuse(
    409,
    'account_is_demo',
    'This account belongs to the demo, which never gets real calls. Add your own telephony account, and use that.',
  );

export const accountExists = () => refuse(409, 'account_exists', 'The team already has this account.');

export const releaseRunning = () =>
  refuse(
    409,
    'release_running',
    'Held deliveries of this account are already being released. Wait for that to finish.',
  );

export const accountLimit = (most: number) =>
  refuse(
    409,
    'account_limit',
    `The team has reached its limit of ${most} telephony accounts. Remove one, or ask your Patchbay administrator to raise PATCHBAY_MAX_TELEPHONY_ACCOUNTS.`,
  );

export const accountInvalid = (errors: InputError[]) =>
  refuse(400, 'account_invalid', "These account details aren't valid for this provider.", { errors });

export const numberUnknown = () => refuse(404, 'number_unknown', 'Number not found.');

export const numberExists = () => refuse(409, 'number_exists', 'The account already has this number.');

export const numberLimit = (most: number) =>
  refuse(
    409,
    'number_limit',
    `The team has reached its limit of ${most} numbers. Remove one, or ask your Patchbay administrator to raise PATCHBAY_MAX_NUMBERS.`,
  );

export const numberInvalid = (message: string) =>
  refuse(400, 'number_invalid', "This number can't be used.", { errors: [{ path: 'number', message }] });

export const answerInvalid = (path: string, message: string) =>
  refuse(400, 'answer_invalid', "These answering settings aren't valid.", {
    errors: [{ path: `answer.${path}`, message }],
  });

export const callUnknown = () => refuse(404, 'call_unknown', 'Call not found.');

export const callNotMissed = () =>
  refuse(409, 'call_not_missed', 'Only an unanswered inbound call can be marked as returned.');

export const markTooOld = (days: number) =>
  refuse(409, 'mark_too_old', `This call was marked as returned more than ${days} days ago, so it stays returned.`);

export const callCursorInvalid = () => refuse(400, 'cursor_invalid', 'Invalid cursor. Start again without one.');

export const tooManyExports = () =>
  refuse(
    429,
    'too_many_exports',
    'Other exports are still running. Wait for one to finish, then try again.',
    later(10),
  );

export const tooManyDownloads = () =>
  refuse(
    429,
    'too_many_downloads',
    'Other recordings are still being downloaded. Wait for one to finish, then try again.',
    later(10),
  );

export const recordingUnknown = () => refuse(404, 'recording_unknown', 'Recording not found.');

export const recordingNotThere = () =>
  refuse(409, 'recording_not_archived', "This recording isn't archived. Its state says why.");

export const demoNotPlayed = (why: string) => refuse(409, 'demo_not_played', why);

export const rangeOutside = (bytes: number) =>
  refuse(416, 'range_outside', 'The requested range is past the end of the recording.', {
    headers: { 'content-range': `bytes */${bytes}`, 'accept-ranges': 'bytes' },
  });

export const audioMissing = () =>
  refuse(
    404,
    'audio_missing',
    "The audio isn't in this server's storage. If Patchbay runs on several servers, they have to share it (PATCHBAY_RECORDINGS). Ask your Patchbay administrator.",
  );

export const storageAway = () =>
  refuse(503, 'storage_away', "The audio can't be read right now. Try again soon.", later(10));

export const callLogUnknown = () =>
  refuse(404, 'call_log_unknown', "There is no such call that isn't logged. It may be logged by now, or erased.");
