import type { Static } from 'typebox';
import { type Allowed, adminOnly, RIGHT_NAMES, RIGHTS } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import { approvalsUnclear, rightsTooLong, rightsUnclear } from '../errors.ts';
import { printRestriction, type StoredRestriction } from '../records/restriction.ts';

export const METHODS_TO_ALLOW = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type MethodToAllow = (typeof METHODS_TO_ALLOW)[number];

/** Bounds what is read with each request that brings the token. */
const MOST_CHARACTERS = 12_000;
const MOST_ALLOWED = 20;
const MOST_PATHS = 100;

/** What becomes of a request that `allow` names a connection for, but not its method or path. */
export const WRITES = ['refuse', 'ask'] as const;
/** How many minutes a request waits for an approval. */
export const APPROVAL_MINUTES = { fallback: 10, most: 1_440 } as const;

const listRights = (): string => RIGHT_NAMES.map((right) => `\`${right}\`: ${RIGHTS[right]}`).join('. ');

const AllowBody = Type.Object(
  {
    provider: Type.String({ maxLength: 60 }),
    connection: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'The name of a connection. The token works with the account that it has now. Default: any',
      }),
    ),
    host: Type.Optional(
      Type.Union([Type.String({ maxLength: 40 }), Type.Null()], {
        description: "The name of one of the entry's other hosts. Default: the API's own address alone",
      }),
    ),
    methods: Type.Optional(
      Type.Array(Type.Enum(METHODS_TO_ALLOW), {
        minItems: 1,
        uniqueItems: true,
        description: "Default: what the provider's entry says only reads",
      }),
    ),
    paths: Type.Optional(
      Type.Array(Type.String({ maxLength: 1_000 }), {
        minItems: 1,
        maxItems: MOST_PATHS,
        description:
          'Patterns such as `/repos/*/*/issues`. `*` stands for one whole segment, and `**` at the end for the rest. Default: every path',
      }),
    ),
  },
  { title: 'RequestsToAllow', additionalProperties: false },
);

/** The fields of a request for a token that restrict it. A token with `can` or `allow` can do nothing else. */
export const rightsFields = {
  can: Type.Optional(
    Type.Array(Type.Enum(RIGHT_NAMES), { uniqueItems: true, description: `Restricts the token. ${listRights()}` }),
  ),
  allow: Type.Optional(
    Type.Array(AllowBody, {
      maxItems: MOST_ALLOWED,
      description: 'Restricts the token. What it can send through the proxy. Only an admin can give this',
    }),
  ),
  writes: Type.Optional(
    Type.Enum(WRITES, {
      description:
        "What becomes of a request to a connection and host in `allow` whose method or path isn't in it. `ask`: it waits until an admin approves or refuses it. Default: `refuse`",
    }),
  ),
  approvalMinutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: APPROVAL_MINUTES.most,
      description: `With \`ask\`: how long a request waits. Default: ${APPROVAL_MINUTES.fallback}`,
    }),
  ),
  returnTo: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description: "Where connects end that are begun with the token. Only the operator's product can give this",
    }),
  ),
};

const RightsBody = Type.Object(rightsFields);
export type AskedRights = Static<typeof RightsBody>;
export type AskedAllow = Static<typeof AllowBody>;

/**
 * Checks what a token is to be allowed, and finds the accounts that it belongs to. Given by the rooms that know
 * providers.
 */
export type BindAllowed = (
  teamId: string,
  asked: readonly AskedAllow[],
  returnTo: string | null,
) => Promise<{ allow: Allowed[]; returnTo: string | null }>;

type Asker = { teamId: string; isAdmin: boolean; isOperator: boolean };

/** Reads how long requests wait for an approval. Null if they are refused. */
const readApprovals = ({ can, allow, writes, approvalMinutes: minutes }: AskedRights): number | null => {
  const isRestricted = can !== undefined || allow !== undefined;
  if ((writes !== undefined && !isRestricted) || (minutes !== undefined && writes !== 'ask')) throw approvalsUnclear();
  return writes === 'ask' ? (minutes ?? APPROVAL_MINUTES.fallback) : null;
};

/** Reads what a new token can do. Null if it isn't restricted. */
export const readRights = async (
  bindAllowed: BindAllowed,
  { teamId, isAdmin, isOperator }: Asker,
  asked: AskedRights,
): Promise<StoredRestriction | null> => {
  const { can, allow, returnTo } = asked;
  const approvalMinutes = readApprovals(asked);
  if (can === undefined && allow === undefined) {
    if (returnTo !== undefined) throw rightsUnclear();
    return null;
  }
  if (allow && allow.length > 0 && !isAdmin) throw adminOnly();
  if (returnTo !== undefined && !isOperator) throw rightsUnclear();
  if (JSON.stringify(allow ?? []).length > MOST_CHARACTERS) throw rightsTooLong(MOST_CHARACTERS);
  const bound = await bindAllowed(teamId, allow ?? [], returnTo ?? null);
  const restriction = { can: can ?? [], ...bound, approvalMinutes };
  if ((printRestriction(restriction) ?? '').length > MOST_CHARACTERS) throw rightsTooLong(MOST_CHARACTERS);
  return restriction;
};

const Text = Type.String();
const TextOrNull = Type.Union([Text, Type.Null()]);
const Texts = Type.Union([Type.Array(Text), Type.Null()]);

/** What a token can do, as lists show it. All fields are null if the token isn't restricted. */
export const RightsView = {
  can: Texts,
  allow: Type.Union([
    Type.Array(
      Type.Object(
        {
          provider: Text,
          connection: TextOrNull,
          account: Type.Union([Type.Object({ id: TextOrNull, label: TextOrNull }), Type.Null()]),
          host: TextOrNull,
          methods: Texts,
          paths: Texts,
        },
        { title: 'AllowedRequests' },
      ),
    ),
    Type.Null(),
  ]),
  writes: Type.Union([Type.Enum(WRITES), Type.Null()]),
  approvalMinutes: Type.Union([Type.Integer(), Type.Null()]),
};

export const toRightsView = (restriction: StoredRestriction | null) => {
  if (!restriction) return { can: null, allow: null, writes: null, approvalMinutes: null };
  const { can, allow, approvalMinutes } = restriction;
  const shown = allow.map(({ account, methods, paths, ...entry }) => ({
    ...entry,
    account: account && { id: account.id, label: account.label },
    methods: methods && [...methods],
    paths: paths && [...paths],
  }));
  const writes = approvalMinutes === null ? ('refuse' as const) : ('ask' as const);
  return { can: [...can], allow: shown, writes, approvalMinutes };
};
