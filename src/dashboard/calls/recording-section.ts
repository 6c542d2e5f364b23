import { type Html, html } from '../../platform/index.ts';
import type { CallStory } from '../../telephony/index.ts';
import { moment } from '../display/moment.ts';
import type { Region } from '../display/region.ts';
import { state } from '../parts.ts';
import { lengthText } from './call-words.ts';
import { transcriptSection } from './transcript-section.ts';

type Recording = CallStory['recordings'][number];

const STATES: Readonly<Record<Recording['state'], Parameters<typeof state>>> = {
  announced: ['none', 'Still recording, or being processed by the provider'],
  waiting: ['warn', 'About to be fetched from the provider'],
  archived: ['good', 'Archived'],
  absent: ['none', 'The provider says there is no audio'],
  failed: ['bad', "Couldn't be archived"],
  removed: ['none', 'Removed'],
};

const item = (recording: Recording, name: string, region: Region): Html => {
  const { id, problem, durationMs, archivedAt, removedAt } = recording;
  const isArchived = recording.state === 'archived';
  const at = isArchived ? archivedAt : recording.state === 'removed' ? removedAt : null;
  return html`<li>
<div class="head"><h3>${name}${durationMs !== null && html` <span class="quiet">${lengthText(Math.round(durationMs / 1_000))}</span>`}</h3>
${isArchived && html`<a href="/api/recordings/${id}/audio" download>Download<span class="unseen"> ${name}</span></a>`}</div>
${isArchived && html`<audio id="audio-${id}" controls preload="none" src="/api/recordings/${id}/audio" aria-label="${name}"></audio>`}
<p>${state(...STATES[recording.state])}${at !== null && html` <span class="quiet">${moment(at, region)}</span>`}</p>
${problem && !isArchived && html`<p class="quiet">${problem}</p>`}
${transcriptSection(recording, name, region)}
</li>`;
};

export const recordingSection = (recordings: readonly Recording[], region: Region): Html | null =>
  recordings.length === 0
    ? null
    : html`<h2 class="unseen">Recordings</h2>
<ul class="recordings" id="recordings">${recordings.map((recording, index) =>
        item(recording, recordings.length === 1 ? 'Recording' : `Recording ${index + 1}`, region),
      )}</ul>`;
