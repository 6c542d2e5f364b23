import { isUtf8 } from 'node:buffer';
import type { Static } from 'typebox';
import { Type, toIso, toIsoOrNull } from '../../platform/index.ts';
import { Account } from '../catalogue/schemas.ts';
import type { NamedUser } from '../connections/named-user.ts';
import { APPROVAL_STATES, type Approval, stateAt } from './approval.ts';
import type { ApprovalTarget, Content } from './approval-content.ts';

const Text = Type.String();
const TextOrNull = Type.Union([Text, Type.Null()]);
const Time = Type.String({ format: 'date-time' });
const TimeOrNull = Type.Union([Time, Type.Null()]);

export const ApprovalView = Type.Object(
  {
    id: Text,
    state: Type.Enum(APPROVAL_STATES, {
      description:
        '`sending`: an admin has approved it. `sent`: the provider has answered, with `status`. `failed`: it was surely not sent. `unclear`: nobody knows whether it was sent',
    }),
    token: Type.Object({ id: Text, name: Text }),
    provider: Text,
    connection: Text,
    account: Account,
    host: Type.Union([Text, Type.Null()], {
      description: "The name of the entry's host. Null for the API's own address",
    }),
    method: Text,
    path: Text,
    query: Text,
    requestedAt: Time,
    expiresAt: Time,
    decidedBy: Type.Union([Type.Object({ id: Text, key: TextOrNull, label: Text }), Type.Null()]),
    decidedAt: TimeOrNull,
    status: Type.Union([Type.Integer(), Type.Null()], { description: "The provider's status" }),
    problem: Type.Union([Text, Type.Null()], {
      description: "Why an approved request wasn't sent, or isn't known to be",
    }),
  },
  { title: 'Approval' },
);

const { query: _, ...toldFields } = ApprovalView.properties;

/** An approval in an event. Its query is left out, because it may hold a secret, and endpoints are sent the event. */
export const ApprovalTold = Type.Object(toldFields, { title: 'ApprovalTold' });

export const Body = Type.Object({
  encoding: Type.Enum(['utf8', 'base64'], {
    description:
      '`base64`: the bytes are no UTF-8, or the request says that they are in another character set, or says it in a way that can be misread',
  }),
  text: Text,
});

export const ApprovalDetails = Type.Object(
  {
    ...ApprovalView.properties,
    to: Type.Optional(Type.String({ description: 'The URL that the path is appended to. Only for admins' })),
    headers: Type.Optional(
      Type.Union([Type.Array(Type.Object({ name: Text, value: Text })), Type.Null()], {
        description:
          "What is sent besides the credential. Only for admins. Null once an expired request's content is erased",
      }),
    ),
    body: Type.Optional(Type.Union([Body, Type.Null()], { description: 'Only for admins. Null if there is none' })),
  },
  { title: 'ApprovalDetails' },
);

export type ApprovalView = Static<typeof ApprovalView>;
export type ApprovalDetails = Static<typeof ApprovalDetails>;

export const viewApproval = (
  approval: Approval,
  { method, path, query }: ApprovalTarget,
  decider: NamedUser | null,
  now: number,
): ApprovalView => {
  const { id, tokenId, tokenName, provider, connection, account, host, status, problem } = approval;
  return {
    ...{ id, state: stateAt(approval, now), token: { id: tokenId, name: tokenName }, provider, connection },
    ...{ account: { id: account.id, label: account.label }, host, method, path, query },
    requestedAt: toIso(approval.requestedAt),
    expiresAt: toIso(approval.expiresAt),
    decidedBy: decider,
    decidedAt: toIsoOrNull(approval.decidedAt),
    ...{ status, problem },
  };
};

/** A content type that every server takes apart in the same way: parameters without escapes, in quotes or not. */
const CONTENT_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+((?:\s*;\s*[\w-]+=(?:"[^"\\;=]*"|[\w.+:/-]+))*)\s*$/;
const PARAMETER = /([\w-]+)="?([^";]*)/g;
const READ_AS_UTF8 = /^(?:utf-?8|us-ascii|ascii)$/i;

const saysUtf8 = (type: string): boolean => {
  const parameters = CONTENT_TYPE.exec(type)?.[1];
  if (parameters === undefined) return false;
  const charsets = [...parameters.matchAll(PARAMETER)].filter(([, name = '']) => name.toLowerCase() === 'charset');
  return charsets.length <= 1 && charsets.every(([, , charset = '']) => READ_AS_UTF8.test(charset));
};

/** Whether the provider reads the body as UTF-8, as far as the request says so. Some servers read `_` as `-`. */
const isReadAsUtf8 = (headers: Content['headers']): boolean => {
  const types = headers.filter(([name]) => name.toLowerCase().replaceAll('_', '-') === 'content-type');
  const encoded = headers.some(([name]) => name.toLowerCase().replaceAll('_', '-') === 'content-encoding');
  return !encoded && types.length <= 1 && types.every(([, type]) => saysUtf8(type));
};

/** The body as text only if everybody reads the same characters in it. */
const viewBody = ({ headers, body }: Content): Static<typeof Body> | null => {
  if (body === null) return null;
  return isUtf8(body) && isReadAsUtf8(headers)
    ? { encoding: 'utf8', text: body.toString('utf8') }
    : { encoding: 'base64', text: body.toString('base64') };
};

/** What an admin sees of the request, exactly as it's sent. */
export const viewContent = (content: Content | null): Required<Pick<ApprovalDetails, 'headers' | 'body'>> => ({
  headers: content === null ? null : content.headers.map(([name, value]) => ({ name, value })),
  body: content && viewBody(content),
});
