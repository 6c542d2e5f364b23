import { type OpenEndpoint, shownUrlOf } from '../../../events/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { momentInText } from '../../display/moment.ts';
import type { Region } from '../../display/region.ts';
import { state } from '../../parts.ts';

export const ENDPOINTS = '/settings/endpoints';

/** The operator's have no page, because only the operator token changes them. */
export const endpointLink = ({ endpoint, url }: OpenEndpoint): Html | string =>
  endpoint.forOperator ? shownUrlOf(url) : html`<a href="${ENDPOINTS}/${endpoint.id}">${shownUrlOf(url)}</a>`;

/** Above the pages about one endpoint. */
export const endpointPlace = (id: string) => ({ path: `${ENDPOINTS}/${id}`, name: 'Endpoint' });

type Row = OpenEndpoint['endpoint'];

const WHY_OFF: Readonly<Record<NonNullable<Row['inactiveReason']>, string>> = {
  paused: 'by a person',
  gone: 'because the receiver responded with 410 (gone)',
  failing: 'because the receiver accepted nothing for five days',
};

/** Whether events are sent there, and if not, why and since when. */
export const endpointState = ({ inactiveReason, inactiveSince, failingSince }: Row, region: Region): Html => {
  if (inactiveReason !== null)
    return html`${state(inactiveReason === 'paused' ? 'none' : 'bad', 'Turned off')}<span class="under">${WHY_OFF[inactiveReason]}${inactiveSince !== null && html`, ${momentInText(inactiveSince, region)}`}</span>`;
  return failingSince === null
    ? state('good', 'Active')
    : html`${state('warn', 'Failing')}<span class="under">since ${momentInText(failingSince, region)}</span>`;
};

/** What is sent there. */
export const wantedTypesText = ({ types }: Pick<Row, 'types'>): Html | string =>
  types.includes('*')
    ? 'Everything'
    : html`${types.map((type, index) => html`${index > 0 && ', '}<code>${type}</code>`)}`;
