import { SEALED_ACCOUNTS } from './accounts/open-account.ts';
import { SEALED_NUMBERS } from './accounts/open-number.ts';
import { SEALED_CALLS } from './calls/call-parties.ts';
import { SEALED_PEOPLE } from './people/person.ts';
import { SEALED_DELIVERIES } from './processing/delivery-payload.ts';
import { SEALED_RECORDINGS } from './recordings/media-url.ts';
import { SEALED_TRANSCRIPTS } from './transcripts/seal-transcript.ts';

export const SEALED_IN_TELEPHONY = [
  ...SEALED_ACCOUNTS,
  ...SEALED_NUMBERS,
  ...SEALED_CALLS,
  SEALED_PEOPLE,
  ...SEALED_RECORDINGS,
  ...SEALED_TRANSCRIPTS,
  ...SEALED_DELIVERIES,
];
