import type { UsedCredential } from '../../integrations/index.ts';
import { type Html, html, sayBytes } from '../../platform/index.ts';
import { copyable } from '../display/copy-button.ts';
import { clockTime, dayTag } from '../display/moment.ts';
import type { DashboardPage } from '../frame.ts';
import { factList } from '../parts.ts';
import type { Person } from '../person.ts';
import type { RequestView } from './load-requests.ts';
import { type EnteredRequestFilter, requestsAddress } from './request-filter.ts';
import { placesAbove } from './request-places.ts';
import {
  callerOfRequest,
  callerWords,
  connectionWords,
  personWords,
  requestWords,
  resultPill,
  tokenWords,
  tookWords,
} from './request-words.ts';

const VIA: Readonly<Record<NonNullable<UsedCredential['by']['via']>, string>> = {
  token: 'Access token',
  jwt: 'Token of the identity provider',
  session: 'Signed-in browser',
  admin_token: 'Admin token from the settings',
  operator: 'Operator token',
  connect_session: 'Connect session',
  service: 'Patchbay itself, to look up a caller or log a call',
};

/** What happened, in a sentence. */
const verdict = ({ by, status, from, failed }: UsedCredential): string => {
  if (by.kind === 'hand_out') return "An access token was handed out. What was done with it isn't known.";
  if (status === null) return 'The caller left before there was a response.';
  if (from === 'patchbay') return 'Patchbay answered. There was no response from the provider that could be passed on.';
  if (!failed) return 'The provider responded.';
  return status < 400 ? "The provider's response was incomplete." : 'The provider responded with an error.';
};

const accountWords = ({ account }: UsedCredential): Html | null =>
  account &&
  html`${account.label}${account.label !== null && account.id !== null && ' '}${account.id !== null && copyable('account ID', account.id)}`;

const bytesWords = (bytes: number | null): string | null => (bytes === null ? null : sayBytes(bytes));

const callFacts = (request: UsedCredential) =>
  [
    ['Method', request.method],
    ['Path', request.path !== null && copyable('path', request.path)],
    ['Host', request.host],
    ['Took', request.ms !== null && tookWords(request.ms)],
    ['Sent', bytesWords(request.requestBytes)],
    ['Received', bytesWords(request.responseBytes)],
    [
      'Approved',
      request.by.kind === 'approval' && html`By an admin, before it was sent. See <a href="/approvals">Approvals</a>`,
    ],
    ['Sent twice', request.retried && 'The second time with a renewed credential'],
  ] as const;

const callerFacts = ({ people, request }: RequestView) => {
  const { by, client, traceId } = request;
  return [
    ['Access token', tokenWords(by)],
    ['Token ID', by.id !== null && copyable('token ID', by.id)],
    [by.id === null ? 'By' : 'Token owner', personWords(by, people)],
    ['Called with', by.via !== null && by.id === null && VIA[by.via]],
    ['Client', client],
    ['Trace ID', traceId !== null && copyable('trace ID', traceId)],
  ] as const;
};

/** A title of one line. A path may be very long. */
const MOST_TITLE = 60;

/** The page of one request. */
export const requestPage = ({ region }: Person, view: RequestView): DashboardPage => {
  const { request, people, providers } = view;
  const { provider, connection } = request;
  const at = Date.parse(request.at);
  const ofConnection: EnteredRequestFilter = connection === '' ? { provider } : { provider, connection };
  const name = connectionWords(request, providers);
  return {
    title: requestWords(request, MOST_TITLE),
    under: [...placesAbove(ofConnection, providers), { path: requestsAddress(ofConnection), name: 'Requests' }],
    content: html`<section class="sheet request"><p class="verdict">${resultPill(request)}</p><p>${verdict(request)}</p>
${factList([
  ['Time', html`${dayTag(at, region)}, ${clockTime(at, region)}`],
  ['Connection', name],
  ['Account', accountWords(request)],
  ...callFacts(request),
  ...callerFacts(view),
  ['ID', copyable('ID', request.id)],
])}</section>
<ul><li><a href="${requestsAddress(ofConnection)}">All requests to ${name}</a></li>
<li><a href="${requestsAddress({ by: callerOfRequest(request) })}">All requests by ${callerWords(request.by, people)}</a></li></ul>`,
  };
};
