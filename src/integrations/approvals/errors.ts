import { Refusal } from '../../platform/index.ts';
import {
  type Approval,
  type ApprovalState,
  MOST_APPROVALS_PER_HOUR,
  MOST_BODY_BYTES,
  MOST_WAITING_APPROVALS,
} from './approval.ts';

const refuse = (...[status, reason, message, details]: ConstructorParameters<typeof Refusal>): Refusal =>
  new Refusal(status, `approvals.${reason}`, message, details);

export const approvalUnknown = () => refuse(404, 'unknown', 'Unknown approval.');

export const approvalCursorInvalid = () => refuse(400, 'cursor_invalid', 'Invalid cursor. Start again without one.');

/** For a request that has to wait. `url` is the page where an admin decides. */
export const approvalNeeded = (approval: { id: string; url: string; expiresAt: string }) =>
  new Refusal(
    409,
    'tokens.approval_needed',
    `This token may not send this request on its own. An admin can approve it at ${approval.url} until ${approval.expiresAt}. It's then sent once. Don't send it again: follow GET /api/approvals/${approval.id} until it's sent, and get the response at GET /api/approvals/${approval.id}/response.`,
    { members: { approval } },
  );

const SAID: Record<Exclude<ApprovalState, 'waiting'>, string> = {
  refused: 'It was refused.',
  expired: 'Nobody decided in time, so it has expired.',
  sending: 'It was approved, and is being sent.',
  sent: 'It was approved and sent.',
  failed: "It was approved, but couldn't be sent.",
  unclear: 'It was approved, but nobody knows whether it was sent.',
};

export const approvalDecided = (state: ApprovalState) =>
  refuse(409, 'decided', state === 'waiting' ? 'Somebody is deciding right now. Look again.' : SAID[state]);

export const tooManyWaiting = (whose: keyof typeof MOST_WAITING_APPROVALS) =>
  refuse(
    429,
    'too_many',
    `${whose === 'ofToken' ? 'This token' : 'This team'} already has ${MOST_WAITING_APPROVALS[whose]} requests that wait for an approval. Wait until some are decided.`,
    { headers: { 'retry-after': '60' } },
  );

export const tooManyAsked = () =>
  refuse(
    429,
    'too_many',
    `This token has asked for ${MOST_APPROVALS_PER_HOUR} approvals in the last hour. Wait, and ask for fewer.`,
    { headers: { 'retry-after': '600' } },
  );

export const approvalBodyTooLarge = () =>
  refuse(
    413,
    'body_too_large',
    `A request that has to be approved can have a body of up to ${MOST_BODY_BYTES / 1024} KiB.`,
  );

export const approvalEncodingRefused = () =>
  refuse(
    415,
    'encoding_refused',
    'A request that has to be approved can\'t have a "Content-Encoding", because nobody could read its body. Send it uncompressed.',
  );

export const responseForToken = () =>
  refuse(403, 'token_only', 'Only the token that asked for the approval gets the response.');

export const noResponseYet = () =>
  refuse(409, 'no_response_yet', 'There is no response yet. Wait until the state is "sent".');

export const noResponse = ({ state }: Pick<Approval, 'state'>) =>
  refuse(409, 'no_response', `There is no response. ${state === 'waiting' ? '' : SAID[state]}`.trimEnd());

export const responseErased = () => refuse(410, 'response_erased', 'The response is kept for an hour. It was erased.');
