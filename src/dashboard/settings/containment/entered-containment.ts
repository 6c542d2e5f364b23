import { Refusal, Type } from '../../../platform/index.ts';

/** As for the API. */
const MOST_REASON = 500;

/** More than is taken, so that who enters too much gets the form back. */
export const ContainmentForm = Type.Object({
  reason: Type.String({ maxLength: 10_000, default: '' }),
  what: Type.String({ maxLength: 100, default: '' }),
  revoke: Type.Optional(Type.String({ maxLength: 10 })),
});

export type EnteredContainment = { reason: string; what: string; revoke?: string | undefined };

export const EVERYTHING = 'everything';

const refuse = (message: string): Refusal => new Refusal(400, 'dashboard.form_invalid', message);

/** What was chosen, as filters. Nothing that isn't understood stands for everything. */
const readWhat = (what: string): { provider: string | null; tokenId: string | null } => {
  if (what === EVERYTHING) return { provider: null, tokenId: null };
  const [, kind, id = ''] = /^(provider|token) (\S+)$/.exec(what) ?? [];
  if (kind === undefined) throw refuse('Choose what may have leaked.');
  return kind === 'provider' ? { provider: id, tokenId: null } : { provider: null, tokenId: id };
};

/** Checks the form, and reads what to stop in a team. */
export const readContainment = (ofTeamId: string, { reason: entered, what, revoke }: EnteredContainment) => {
  const reason = entered.trim();
  if (reason === '') throw refuse('Say what happened, for the record.');
  if (reason.length > MOST_REASON) throw refuse(`Say what happened in up to ${MOST_REASON} characters.`);
  return { reason, ofTeamId, connectedBefore: null, revokes: revoke !== undefined, ...readWhat(what) };
};
