import { type InputError, Refusal } from '../platform/index.ts';

const ROOM = 'telephony';

export const signatureInvalid = (): Refusal =>
  new Refusal(
    403,
    `${ROOM}.signature_invalid`,
    'The request is not signed as it must be, or is not one that a telephony provider sends. If it names an account and looks like one of its provider, its admins see why there.',
  );

export const accountAmbiguous = (): Refusal =>
  new Refusal(
    403,
    `${ROOM}.account_ambiguous`,
    'More than one team has set up an account that this request could be for. At the provider, use the addresses that the page of the account shows: they end in ?account=… and say whose it is.',
  );

/** A provider that sends its credentials only when it is asked for them. */
export const credentialsWanted = (challenge: string): Refusal =>
  new Refusal(401, `${ROOM}.signature_invalid`, 'The credentials that were set for this webhook are wanted.', {
    headers: { 'www-authenticate': challenge },
  });

export const notKept = (): Refusal =>
  new Refusal(503, `${ROOM}.not_kept`, 'The delivery could not be kept. Send it again.', {
    headers: { 'retry-after': '5' },
  });

export const tooBusy = (): Refusal =>
  new Refusal(503, `${ROOM}.too_busy`, 'Too many large deliveries are waiting to be verified. Send it again.', {
    headers: { 'retry-after': '5' },
  });

export const notReady = (): Refusal =>
  new Refusal(503, `${ROOM}.not_ready`, 'The accounts could not be read yet. Send it again.', {
    headers: { 'retry-after': '2' },
  });

export const accountUnknown = (): Refusal =>
  new Refusal(404, `${ROOM}.account_unknown`, 'There is no such telephony account.');

export const accountExists = (): Refusal =>
  new Refusal(409, `${ROOM}.account_exists`, 'The team has this account already.');

export const accountLimit = (most: number): Refusal =>
  new Refusal(
    409,
    `${ROOM}.account_limit`,
    `The team has ${most} telephony accounts, which is as many as it can have. Remove one first, or ask whoever runs this Patchbay to raise PATCHBAY_MAX_TELEPHONY_ACCOUNTS.`,
  );

export const accountInvalid = (errors: InputError[]): Refusal =>
  new Refusal(400, `${ROOM}.account_invalid`, 'The account is not as its provider has them.', { errors });

export const numberUnknown = (): Refusal => new Refusal(404, `${ROOM}.number_unknown`, 'There is no such number.');

export const numberExists = (): Refusal =>
  new Refusal(409, `${ROOM}.number_exists`, 'The account has this number already.');

export const numberLimit = (most: number): Refusal =>
  new Refusal(
    409,
    `${ROOM}.number_limit`,
    `The team has ${most} numbers, which is as many as it can have. Remove one first, or ask whoever runs this Patchbay to raise PATCHBAY_MAX_NUMBERS.`,
  );

export const numberInvalid = (message: string): Refusal =>
  new Refusal(400, `${ROOM}.number_invalid`, 'The number cannot be used.', { errors: [{ path: 'number', message }] });

export const answerInvalid = (path: string, message: string): Refusal =>
  new Refusal(400, `${ROOM}.answer_invalid`, 'The number cannot be answered like this.', {
    errors: [{ path: `answer.${path}`, message }],
  });

export const callUnknown = (): Refusal => new Refusal(404, `${ROOM}.call_unknown`, 'There is no such call.');

export const callNotMissed = (): Refusal =>
  new Refusal(409, `${ROOM}.call_not_missed`, 'Only an inbound call that nobody took can be returned.');

export const cursorInvalid = (): Refusal =>
  new Refusal(400, `${ROOM}.cursor_invalid`, 'The cursor is not one that was handed out: begin without one.');

export const tooManyExports = (): Refusal =>
  new Refusal(
    429,
    `${ROOM}.too_many_exports`,
    'Other exports are still running. Wait until one of them has finished.',
    {
      headers: { 'retry-after': '10' },
    },
  );

export const recordingUnknown = (): Refusal =>
  new Refusal(404, `${ROOM}.recording_unknown`, 'There is no such recording.');

export const recordingNotThere = (): Refusal =>
  new Refusal(409, `${ROOM}.recording_not_archived`, 'The recording is not archived here: its state says why.');

export const demoNotPlayed = (why: string): Refusal => new Refusal(409, `${ROOM}.demo_not_played`, why);
