import { type Html, html } from '../../../platform/index.ts';
import { printBytes, type StorageView } from '../../../telephony/index.ts';
import { badNotice } from '../../notice.ts';
import { factList } from '../../parts.ts';

const PAYLOADS_FULL = html`<strong>Original requests have reached their limit.</strong> Calls are still answered and recorded, but of what your providers send, only the facts are kept. <a href="/settings">Keep original requests for fewer days</a>, or ask your Patchbay administrator to raise the limit.`;

const RECORDINGS_FULL = html`<strong>Recordings have reached their limit.</strong> New ones wait at the provider until there's room. <a href="/settings">Keep recordings for fewer days</a>, or ask your Patchbay administrator to raise the limit.`;

const share = (bytes: number, most: number): string => `${printBytes(bytes)} of ${printBytes(most)}`;

/** Shows how much the team stores, with a warning if its limit is reached. */
export const storageSection = ({ payloads, recordings }: StorageView): Html =>
  html`<h2 id="storage">Storage</h2>
${payloads.isFull && badNotice(PAYLOADS_FULL)}${recordings.isFull && badNotice(RECORDINGS_FULL)}
${factList([
  ['Original requests', share(payloads.bytes, payloads.mostBytes)],
  ['Original requests today', share(payloads.todayBytes, payloads.mostTodayBytes)],
  ['Recordings', share(recordings.bytes, recordings.mostBytes)],
])}`;
