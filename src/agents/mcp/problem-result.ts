import { toRefusal } from '../../http/index.ts';
import type { Refusal } from '../../platform/index.ts';

/** What an agent should do next, for problems that it can do something about. */
const NEXT: Readonly<Record<string, string>> = {
  'integrations.not_connected':
    'Call list_connections to see what is connected. If connect_account is listed, make a link with it for a person. Otherwise, ask a person to connect the account.',
  'integrations.needs_reconnect': 'Ask a person to reconnect the account in Patchbay. Nothing else helps.',
  'tokens.approval_needed':
    'Show the person the url of the approval and what you want to send. Then call get_approval with its id. Never send the request again.',
  'tokens.not_allowed':
    'This token may not do that. Call list_connections to see what it may send. Do not try to get around it. If it is needed, ask a person to let you in again with more, or for a token that may.',
  'reports.unknown': 'Tell the person that there is no report yet. The first one is made at the end of a week.',
  'http.admin_only':
    'The person who let you in is no longer an admin of the team, so the accounts are closed to you. Ask an admin to let you in.',
  'integrations.not_configured': 'Ask a person to set up this provider in Patchbay first.',
  'approvals.too_many': 'Wait until a person has decided about the requests that wait.',
};

const nextOf = ({ code, status, headers }: Refusal): string => {
  const known = NEXT[code];
  if (known !== undefined) return known;
  const seconds = headers['retry-after'];
  if (status === 429 || status === 503) return `Wait ${seconds ?? 'a few'} seconds, then try again.`;
  if (status >= 500) return 'Try again once, a little later. If it fails again, tell the person.';
  return 'Correct the arguments. Do not send the same ones again.';
};

export type ToolProblem = { isError: true; content: [{ type: 'text'; text: string }] };

/**
 * A problem as the result of a tool, which the model reads. It's text alone, because structured content in an error
 * breaks older clients. Null for a bug, which only the log shows.
 */
export const toProblemResult = (error: unknown): ToolProblem | null => {
  const refusal = toRefusal(error);
  if (!refusal) return null;
  const { code, message: detail, members } = refusal;
  const text = JSON.stringify({ code, detail, ...members, next: nextOf(refusal) });
  return { isError: true, content: [{ type: 'text', text }] };
};

/** All that an agent may know about a bug. */
export const BUG: ToolProblem = {
  isError: true,
  content: [
    {
      type: 'text',
      text: JSON.stringify({
        code: 'http.internal',
        detail: 'Something went wrong on our side.',
        next: 'Try again once, a little later. If it fails again, tell the person.',
      }),
    },
  ],
};
