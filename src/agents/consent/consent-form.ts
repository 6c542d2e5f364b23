import type { Static } from 'typebox';
import type { Right } from '../../http/index.ts';
import { Type } from '../../platform/index.ts';
import type { AskedRights } from '../../teams/index.ts';
import { nothingChosen } from '../errors.ts';

/** What an agent may be given besides accounts: those rights that a tool needs. */
export const CONSENT_RIGHTS = {
  status: 'See which accounts are connected, and which providers there are',
  connect: 'Start connecting an account, which a person has to finish',
  calls: 'See calls, with callers’ numbers, without recordings',
  reports: 'See weekly reports',
} as const satisfies Partial<Record<Right, string>>;

export type ConsentRight = keyof typeof CONSENT_RIGHTS;

/** For how long an agent is let in, in days. */
export const LET_IN_DAYS = { 1: '1 day', 7: '7 days', 30: '30 days', 90: '90 days', 365: '1 year' } as const;
const USUAL_DAYS = '30';

export const MOST_ACCOUNTS = 20;

const Place = Type.String({ pattern: '^[a-z0-9-]{1,60}:[^:]{1,100}$' });
const Can = Type.Enum(Object.keys(CONSENT_RIGHTS) as ConsentRight[]);

/** A form sends one value, or several of the same name. */
export const ConsentBody = Type.Object({
  answer: Type.Enum(['allow', 'deny']),
  shown: Type.Optional(Type.String({ maxLength: 100 })),
  place: Type.Optional(Type.Union([Place, Type.Array(Place, { maxItems: MOST_ACCOUNTS })])),
  can: Type.Optional(Type.Union([Can, Type.Array(Can, { maxItems: MOST_ACCOUNTS })])),
  writes: Type.Optional(Type.Enum(['refuse', 'ask'])),
  days: Type.Optional(Type.Enum(Object.keys(LET_IN_DAYS))),
});

/** An account as the form names it. */
export const printPlace = ({ provider, connection }: { provider: string; connection: string }): string =>
  `${provider}:${connection}`;

const parsePlace = (place: string) => {
  const [provider = '', connection = ''] = place.split(':');
  return { provider, connection };
};

/** What is ticked on the page. */
export type Ticked = { places: readonly string[]; can: readonly string[]; writes: string; days: string };

export const NOTHING_TICKED: Ticked = { places: [], can: [], writes: 'ask', days: USUAL_DAYS };

const listOf = (value: unknown): string[] => [value ?? []].flat().map(String);

/** Reads what a person ticked. Without an account, there's nothing to ask about before writing. */
export const readConsent = ({ place, can, writes, days = USUAL_DAYS }: Static<typeof ConsentBody>) => {
  const allow = listOf(place).map(parsePlace);
  const rights: AskedRights = { can: listOf(can) as ConsentRight[], allow };
  if (allow.length + (rights.can?.length ?? 0) === 0) throw nothingChosen();
  if (allow.length > 0 && writes === 'ask') rights.writes = 'ask';
  return { rights, days: Number(days) };
};

/** What was ticked, to show it again. */
export const tickedIn = ({ place, can, writes = 'ask', days = USUAL_DAYS }: Static<typeof ConsentBody>): Ticked => ({
  ...{ places: listOf(place), can: listOf(can), writes, days },
});
