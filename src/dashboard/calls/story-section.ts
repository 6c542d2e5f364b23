import { type Html, html } from '../../platform/index.ts';
import type { CallFact, CallStory } from '../../telephony/index.ts';
import { clockTime } from '../display/moment.ts';
import type { Region } from '../display/region.ts';
import { lengthText } from './call-words.ts';
import { eventWords } from './event-words.ts';

/** The usual order of events in a call. Used for events in the same second. */
const KINDS: readonly CallFact['kind'][] = [
  ...(['initiated', 'ringing', 'answered', 'forwarded', 'bridged', 'forward_ended', 'voicemail', 'other'] as const),
  'ended',
];

/** A call starts first and ends last, even if the provider's clock and ours disagree. */
const stageOf = ({ kind, legId }: CallFact): number => {
  if (kind === 'ended') return 2;
  return kind === 'initiated' && legId === null ? 0 : 1;
};

const toSecond = ({ occurredAt }: CallFact): number => Math.floor(occurredAt / 1_000);

const inOrder = (events: readonly CallFact[]): CallFact[] =>
  events.toSorted(
    (left, right) =>
      stageOf(left) - stageOf(right) ||
      toSecond(left) - toSecond(right) ||
      KINDS.indexOf(left.kind) - KINDS.indexOf(right.kind),
  );

type Call = CallStory['call'];

/** Says “talked” only if a person was reached, because `talkSeconds` also includes greetings and messages. */
const lengthWords = ({ kind, reachedHuman, talkSeconds }: CallFact, call: Call): string[] => {
  if (talkSeconds === undefined) return [];
  const isTalk =
    reachedHuman === true || (call.direction === 'outbound' && kind === 'ended' && call.talkSeconds !== null);
  return [`${isTalk ? 'talked for' : 'lasted'} ${lengthText(talkSeconds)}`];
};

const detailsOf = (event: CallFact, call: Call): (Html | string)[] => {
  const { kind, legId, timeFrom, raw } = event;
  return [
    ...lengthWords(event, call),
    ...(legId === null ? [] : [html`leg <code>${legId}</code>`]),
    ...(raw === undefined || kind === 'other' ? [] : [html`reported as <code>${raw}</code>`]),
    ...(timeFrom === 'received' ? ['time received'] : []),
  ];
};

/** Lists the events of a call, and marks those that decide the outcome. */
export const storySection = ({ call, events, evidence }: CallStory, region: Region): Html => {
  const item = (event: CallFact): Html => {
    const details = detailsOf(event, call);
    const isDecisive = evidence.includes(event.key);
    return html`<li${isDecisive && html` class="decisive"`}>
${clockTime(event.occurredAt, region)}
<div class="step"><p>${eventWords(event, call.direction)}${isDecisive && html` <span class="because">decides the outcome</span>`}</p>
${details.length > 0 && html`<p class="quiet">${details.map((detail, index) => html`${index > 0 && ' · '}${detail}`)}</p>`}</div>
</li>`;
  };
  return html`<details class="raw"><summary>What happened, step by step</summary>
${
  events.length === 0
    ? html`<p class="quiet">Nothing has been reported about this call yet.</p>`
    : html`<ol class="story">${inOrder(events).map(item)}</ol>`
}</details>`;
};
