import { type OpenEndpoint, shownUrlOf } from '../../../events/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { momentInText } from '../../display/moment.ts';
import type { Region } from '../../display/region.ts';
import { state } from '../../parts.ts';

export const ENDPOINTS = '/settings/endpoints';

/**
 * A link to an endpoint's page. The operator's endpoints have no page, because only the operator token can change them.
 */
export const endpointLink = ({ endpoint, url }: OpenEndpoint): Html | string =>
  endpoint.forOperator ? shownUrlOf(url) : html`<a href="${ENDPOINTS}/${endpoint.id}">${shownUrlOf(url)}</a>`;

/** The endpoint's page, as the parent of pages about it. */
export const endpointPlace = (id: string) => ({ path: `${ENDPOINTS}/${id}`, name: 'Endpoint' });

type Row = OpenEndpoint['endpoint'];

const WHY_OFF: Readonly<Record<NonNullable<Row['inactiveReason']>, string>> = {
  paused: 'by a person',
  gone: 'because the receiver responded with 410 (gone)',
  failing: 'because the receiver accepted nothing for five days',
};

/** Whether the endpoint is active, and if not, why and since when. */
export const endpointState = ({ inactiveReason, inactiveSince, failingSince }: Row, region: Region): Html => {
  if (inactiveReason !== null)
    return html`${state(inactiveReason === 'paused' ? 'none' : 'bad', 'Turned off')}<span class="under">${WHY_OFF[inactiveReason]}${inactiveSince !== null && html`, ${momentInText(inactiveSince, region)}`}</span>`;
  return failingSince === null
    ? state('good', 'Active')
    : html`${state('warn', 'Failing')}<span class="under">since ${momentInText(failingSince, region)}</span>`;
};

/** The event types that are sent to an endpoint. */
export const wantedTypesText = ({ types }: Pick<Row, 'types'>): Html =>
  html`${types.map((type, index) => html`${index > 0 && ', '}${type === '*' ? 'Everything' : html`<code>${type}</code>`}`)}`;
