import type { Static } from 'typebox';
import type { Restriction } from '../../http/index.ts';
import { toIsoOrNull } from '../../platform/index.ts';
import { type CallStoryView, toCallEventView, toCallView } from '../calls/call-view.ts';
import type { Calls } from './calls.ts';

type Story = Awaited<ReturnType<Calls['getStory']>>;

/** A call with everything that happened to it, as the API shows it. `restriction`: what the caller's token can do. */
export const viewStory = (
  { call, evidence, events, recordings }: Story,
  restriction: Restriction | undefined,
): Static<typeof CallStoryView> => {
  const mayHear = !restriction || restriction.can.includes('recordings');
  return {
    ...toCallView(call),
    evidence: [...evidence],
    events: events.map(toCallEventView),
    ...(mayHear ? {} : { withheld: ['recordings' as const] }),
    recordings: (mayHear ? recordings : []).map(({ id, state, startedAt, durationMs }) => ({
      id,
      state,
      startedAt: toIsoOrNull(startedAt),
      durationSeconds: durationMs === null ? null : durationMs / 1_000,
    })),
  };
};
