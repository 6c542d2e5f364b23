import { type Html, html } from '../../../platform/index.ts';
import { printBytes, type StorageView } from '../../../telephony/index.ts';
import { badNotice } from '../../notice.ts';
import { factList } from '../../parts.ts';

const PAYLOADS_FULL = html`<strong>Payloads have reached their limit.</strong> Calls are still answered and recorded, but of what your providers send, only the facts are kept. Keep payloads for fewer days, or ask your Patchbay administrator to raise the limit.`;

const RECORDINGS_FULL = html`<strong>Recordings have reached their limit.</strong> New ones wait at the provider until there's room. Keep recordings for fewer days, or ask your Patchbay administrator to raise the limit.`;

const share = (bytes: number, most: number): string => `${printBytes(bytes)} of ${printBytes(most)}`;

/** How much the team stores, and a warning if that's all it can. */
export const storageSection = ({ payloads, recordings }: StorageView): Html =>
  html`<h2 id="storage">Storage</h2>
${payloads.isFull && badNotice(PAYLOADS_FULL)}${recordings.isFull && badNotice(RECORDINGS_FULL)}
${factList([
  ['Payloads', share(payloads.bytes, payloads.mostBytes)],
  ['Payloads today', share(payloads.todayBytes, payloads.mostTodayBytes)],
  ['Recordings', share(recordings.bytes, recordings.mostBytes)],
])}`;
