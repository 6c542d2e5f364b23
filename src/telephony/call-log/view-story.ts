import type { Static } from 'typebox';
import type { Restriction } from '../../http/index.ts';
import { toIsoOrNull } from '../../platform/index.ts';
import { type CallStoryView, toCallEventView, toCallView } from '../calls/call-view.ts';
import { TOLD_CHARACTERS } from '../recordings/recording-event.ts';
import { cutText } from '../transcripts/transcript.ts';
import type { Calls } from './calls.ts';
import { mayHear } from './transcript-search.ts';

type Story = Awaited<ReturnType<Calls['getStory']>>;

/** A call with everything that happened to it, as the API shows it. `restriction`: what the caller's token can do. */
export const viewStory = (
  { call, evidence, events, recordings }: Story,
  restriction: Restriction | undefined,
): Static<typeof CallStoryView> => {
  const hears = mayHear(restriction);
  return {
    ...toCallView(call),
    evidence: [...evidence],
    events: events.map(toCallEventView),
    ...(hears ? {} : { withheld: ['recordings' as const] }),
    recordings: (hears ? recordings : []).map(({ id, state, startedAt, durationMs, transcript }) => ({
      id,
      state,
      startedAt: toIsoOrNull(startedAt),
      durationSeconds: durationMs === null ? null : durationMs / 1_000,
      transcript: {
        state: transcript?.state ?? 'none',
        text: transcript?.text == null ? null : cutText(transcript.text, TOLD_CHARACTERS),
        language: transcript?.language ?? null,
        source: transcript?.source ?? null,
        at: toIsoOrNull(transcript?.settledAt ?? null),
      },
    })),
  };
};
