import type { AttemptRow } from '../../events/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { moment } from '../display/moment.ts';
import type { Region } from '../display/region.ts';
import { state } from '../parts.ts';

type Result = Pick<AttemptRow, 'status' | 'error'>;

/** Whether the receiver accepted the event, in color and in words. */
export const attemptState = ({ status, error }: Result): Html => {
  if (error === null) return state('good', `Accepted (${status})`);
  return state('bad', status === null ? 'No response' : `Failed (${status})`);
};

/** A row of a list of attempts: the time, `about`, and the result. */
export const attemptRow = (
  { at, durationMs, ...result }: Result & Pick<AttemptRow, 'at' | 'durationMs'>,
  about: Html,
  region: Region,
): Html =>
  html`<tr><td>${moment(at, region)}</td>${about}<td data-label="Result">${attemptState(result)}</td><td data-label="Duration">${durationMs} ms</td><td data-label="Error">${result.error ?? '–'}</td></tr>
`;
