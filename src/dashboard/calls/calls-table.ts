import { type Html, html } from '../../platform/index.ts';
import type { CallSummary } from '../../telephony/index.ts';
import { callRow } from './call-row.ts';

const HEADS = html`<thead><tr><th scope="col" class="when">When</th><th scope="col" class="from">From</th><th scope="col" class="to">To</th><th scope="col" class="outcome">Outcome</th><th scope="col" class="number talk">Talk time</th><th scope="col" class="follow">Follow-up</th></tr></thead>`;

export const callsTable = (calls: readonly CallSummary[], timeZone: string): Html =>
  html`<table class="calls"><caption class="unseen">Calls, newest first</caption>${HEADS}<tbody>
${calls.map((call) => html`${callRow(call, timeZone)}\n`)}</tbody></table>`;
