import { type Html, html } from '../../platform/index.ts';
import type { CallStory } from '../../telephony/index.ts';
import { moment } from '../moment.ts';
import { lengthOf } from './call-words.ts';

type Recording = CallStory['recordings'][number];

const STATES: Readonly<Record<Recording['state'], { kind: string; words: string }>> = {
  announced: { kind: '', words: 'Still recording, or being processed by the provider' },
  waiting: { kind: 'warn', words: 'About to be fetched from the provider' },
  archived: { kind: 'good', words: 'Archived' },
  absent: { kind: '', words: 'The provider says there is no audio' },
  failed: { kind: 'bad', words: "Couldn't be archived" },
  removed: { kind: '', words: 'Removed' },
};

const player = ({ id }: Recording, name: string): Html =>
  html`<audio controls preload="none" src="/api/recordings/${id}/audio" aria-label="${name}"></audio>`;

const item = (recording: Recording, name: string, timeZone: string): Html => {
  const { id, state, problem, durationMs, archivedAt, removedAt } = recording;
  const { kind, words } = STATES[state];
  const at = state === 'archived' ? archivedAt : state === 'removed' ? removedAt : null;
  return html`<li>
<div class="head"><h3>${name}${durationMs === null ? '' : html` <span class="quiet">${lengthOf(Math.round(durationMs / 1_000))}</span>`}</h3>
${state === 'archived' ? html`<a href="/api/recordings/${id}/audio" download>Download<span class="unseen"> ${name}</span></a>` : ''}</div>
${state === 'archived' ? player(recording, name) : ''}
<p><span class="state ${kind}">${words}</span>${at === null ? '' : html` <span class="quiet">${moment(at, timeZone)}</span>`}</p>
${problem && state !== 'archived' ? html`<p class="quiet">${problem}</p>` : ''}
</li>`;
};

export const recordingSection = (recordings: readonly Recording[], timeZone: string): Html | null =>
  recordings.length === 0
    ? null
    : html`<h2>Recordings</h2>
<ul class="recordings">${recordings.map((recording, index) =>
        item(recording, recordings.length === 1 ? 'Recording' : `Recording ${index + 1}`, timeZone),
      )}</ul>`;
