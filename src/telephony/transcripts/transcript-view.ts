import type { Static } from 'typebox';
import { type Queries, Type, toIsoOrNull } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import { InstantOrNull } from '../contract/schemas.ts';
import { openTranscript } from './seal-transcript.ts';
import { cutText } from './transcript.ts';
import type { TranscriptRow } from './transcript-store.ts';

const described = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

/** A transcript as the API returns it. */
export const TranscriptView = Type.Object(
  {
    state: Type.Enum(['waiting', 'ready', 'failed', 'none']),
    text: described('What a machine heard. It may be wrong'),
    language: described('As whoever made it names the language'),
    source: Type.Union([Type.Enum(['provider', 'own']), Type.Null()], {
      description: 'Who made it: the telephony provider, or the server of `TRANSCRIBE_URL`',
    }),
    at: InstantOrNull,
  },
  { title: 'Transcript' },
);
export type TranscriptView = Static<typeof TranscriptView>;

const NONE: TranscriptView = { state: 'none', text: null, language: null, source: null, at: null };

/** Makes the view of a transcript, with at most so many characters of the text. */
export const viewTranscript = async (
  vault: Vault,
  row: TranscriptRow | undefined,
  { most = Number.MAX_SAFE_INTEGER, queries }: { most?: number; queries?: Queries } = {},
): Promise<TranscriptView> => {
  if (!row) return NONE;
  const { state, language, source, settledAt } = row;
  const content = state === 'ready' ? await openTranscript(vault, row, queries) : null;
  return { state, text: content && cutText(content.text, most), language, source, at: toIsoOrNull(settledAt) };
};
