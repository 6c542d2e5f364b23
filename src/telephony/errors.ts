import { type InputError, Refusal } from '../platform/index.ts';

const ROOM = 'telephony';

export const signatureInvalid = (): Refusal =>
  new Refusal(403, `${ROOM}.signature_invalid`, 'Invalid signature. Admins can see the reason on the account page.');

export const accountAmbiguous = (): Refusal =>
  new Refusal(
    403,
    `${ROOM}.account_ambiguous`,
    'More than one team has an account that matches this request. At the provider, use the URLs shown on the account page, which end in ?account=….',
  );

/** For a provider that sends its credentials only when asked. */
export const credentialsWanted = (challenge: string): Refusal =>
  new Refusal(401, `${ROOM}.signature_invalid`, 'Send the user name and password that are set for this webhook.', {
    headers: { 'www-authenticate': challenge },
  });

export const notKept = (): Refusal =>
  new Refusal(503, `${ROOM}.not_kept`, "The delivery couldn't be stored. Send it again.", {
    headers: { 'retry-after': '5' },
  });

export const tooBusy = (): Refusal =>
  new Refusal(503, `${ROOM}.too_busy`, 'Too many large deliveries are waiting to be verified. Send it again.', {
    headers: { 'retry-after': '5' },
  });

export const notReady = (): Refusal =>
  new Refusal(503, `${ROOM}.not_ready`, "Accounts aren't loaded yet. Send it again.", {
    headers: { 'retry-after': '2' },
  });

export const accountUnknown = (): Refusal =>
  new Refusal(404, `${ROOM}.account_unknown`, 'Telephony account not found.');

export const accountExists = (): Refusal =>
  new Refusal(409, `${ROOM}.account_exists`, 'The team already has this account.');

export const accountLimit = (most: number): Refusal =>
  new Refusal(
    409,
    `${ROOM}.account_limit`,
    `The team has reached its limit of ${most} telephony accounts. Remove one, or ask the operator to raise PATCHBAY_MAX_TELEPHONY_ACCOUNTS.`,
  );

export const accountInvalid = (errors: InputError[]): Refusal =>
  new Refusal(400, `${ROOM}.account_invalid`, "These account details aren't valid for this provider.", { errors });

export const numberUnknown = (): Refusal => new Refusal(404, `${ROOM}.number_unknown`, 'Number not found.');

export const numberExists = (): Refusal =>
  new Refusal(409, `${ROOM}.number_exists`, 'The account already has this number.');

export const numberLimit = (most: number): Refusal =>
  new Refusal(
    409,
    `${ROOM}.number_limit`,
    `The team has reached its limit of ${most} numbers. Remove one, or ask the operator to raise PATCHBAY_MAX_NUMBERS.`,
  );

export const numberInvalid = (message: string): Refusal =>
  new Refusal(400, `${ROOM}.number_invalid`, "This number can't be used.", { errors: [{ path: 'number', message }] });

export const answerInvalid = (path: string, message: string): Refusal =>
  new Refusal(400, `${ROOM}.answer_invalid`, "These answering settings aren't valid.", {
    errors: [{ path: `answer.${path}`, message }],
  });

export const callUnknown = (): Refusal => new Refusal(404, `${ROOM}.call_unknown`, 'Call not found.');

export const callNotMissed = (): Refusal =>
  new Refusal(409, `${ROOM}.call_not_missed`, 'Only an unanswered incoming call can be marked as returned.');

export const cursorInvalid = (): Refusal =>
  new Refusal(400, `${ROOM}.cursor_invalid`, 'Invalid cursor. Start again without one.');

export const tooManyExports = (): Refusal =>
  new Refusal(
    429,
    `${ROOM}.too_many_exports`,
    'Other exports are still running. Wait for one to finish, then try again.',
    {
      headers: { 'retry-after': '10' },
    },
  );

export const recordingUnknown = (): Refusal => new Refusal(404, `${ROOM}.recording_unknown`, 'Recording not found.');

export const recordingNotThere = (): Refusal =>
  new Refusal(409, `${ROOM}.recording_not_archived`, "This recording isn't archived. Its state says why.");

export const demoNotPlayed = (why: string): Refusal => new Refusal(409, `${ROOM}.demo_not_played`, why);

export const rangeOutside = (bytes: number): Refusal =>
  new Refusal(416, `${ROOM}.range_outside`, 'The requested range is past the end of the recording.', {
    headers: { 'content-range': `bytes */${bytes}`, 'accept-ranges': 'bytes' },
  });

export const storageAway = (): Refusal =>
  new Refusal(503, `${ROOM}.storage_away`, "The audio can't be read right now. Try again soon.", {
    headers: { 'retry-after': '10' },
  });
