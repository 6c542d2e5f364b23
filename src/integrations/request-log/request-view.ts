import type { Static } from 'typebox';
import { Type, toIso } from '../../platform/index.ts';
import { Account } from '../catalogue/schemas.ts';
import type { ListedRequest } from './list-requests.ts';

const Text = Type.Union([Type.String(), Type.Null()]);
const Count = Type.Union([Type.Integer(), Type.Null()]);

export const UsedCredential = Type.Object(
  {
    id: Type.String(),
    at: Type.String({ format: 'date-time', description: 'When it ended' }),
    provider: Type.String(),
    connection: Type.String({ description: 'Empty if a request was refused that named none' }),
    account: Type.Union([Account, Type.Null()], { description: 'The account at that time' }),
    host: Type.Union([Type.String(), Type.Null()], {
      description: "The name of the entry's host. Null for the API's own address",
    }),
    method: Text,
    path: Type.Union([Type.String(), Type.Null()], { description: 'Without the query' }),
    status: Type.Union([Type.Integer(), Type.Null()], {
      description: 'What the caller got. Null if the caller left before',
    }),
    from: Type.Enum(['provider', 'patchbay'], { description: 'Whose response it was' }),
    failed: Type.Boolean({
      description: 'The status is an error, or the provider did not respond, or not completely',
    }),
    ms: Count,
    requestBytes: Count,
    responseBytes: Count,
    retried: Type.Boolean({ description: 'Whether it was sent again with a renewed credential' }),
    by: Type.Object({
      kind: Type.Enum(['proxy', 'mcp', 'approval', 'people', 'hand_out'], {
        description:
          '`proxy`: a request through the proxy. `mcp`: one of an agent, with `call_api`. `approval`: a request of a restricted token that an admin has approved. `people`: one of Patchbay itself, to look up a caller or log a call. `hand_out`: an access token was given out; what was done with it is not known',
      }),
      id: Type.Union([Type.String(), Type.Null()], {
        description: "The caller's access token. Null if the caller used another credential",
      }),
      name: Text,
      via: Type.Union(
        [Type.Enum(['token', 'jwt', 'session', 'admin_token', 'operator', 'connect_session', 'service']), Type.Null()],
        {
          description:
            "What the caller called with. `operator`: the operator's own token. `service`: Patchbay itself. Null if it isn't known",
        },
      ),
      userId: Type.Union([Type.String(), Type.Null()], {
        description: 'The user who called, or whom the operator acted for',
      }),
    }),
    client: Text,
    traceId: Type.Union([Type.String(), Type.Null()], {
      description: 'The trace that it belongs to, from `traceparent` or of the exported spans',
    }),
  },
  { title: 'UsedCredential' },
);

export type UsedCredential = Static<typeof UsedCredential>;

/** What is known of a hand-out. */
const HANDED_OUT = {
  method: null,
  host: null,
  path: null,
  status: 200,
  from: 'patchbay',
  failed: false,
  retried: false,
  ms: null,
  requestBytes: null,
  responseBytes: null,
} as const;

export const viewRequest = (listed: ListedRequest): UsedCredential => {
  const { id, at, provider, connection, accountId, accountLabel, kind, via, userId, tokenId, tokenName } = listed;
  const { request, traceId } = listed;
  return {
    ...(request ?? HANDED_OUT),
    id,
    at: toIso(at),
    provider,
    connection,
    account: accountId === null && accountLabel === null ? null : { id: accountId, label: accountLabel },
    by: { kind, id: tokenId, name: tokenName, via, userId: userId === '' ? null : userId },
    client: null,
    traceId,
  };
};
