import { CommandRefused, toIso } from '../../platform/index.ts';
import { type Evidence, findUnproven } from '../catalogue/evidence/evidence.ts';
import { findEntryFlaws } from '../catalogue/find-entry-flaws.ts';
import type { FullRecord } from '../catalogue/provider.ts';
import type { IntegrationsContext } from '../context.ts';

/** A person's answers about a provider. Without an issuer, both URLs are needed. */
export type Answers = {
  id: string;
  name: string;
  category?: string;
  developerUrl?: string;
  scopes: string[];
  issuer?: string;
  authorizeUrl?: string;
  tokenUrl?: string;
};

export type DraftEntry = FullRecord & { evidence: Evidence };

type Known = Pick<FullRecord, 'id' | 'name' | 'category' | 'developerUrl' | 'scopes'>;

/** Drafts an entry from the issuer's discovery document. */
const draftFromIssuer = async (
  { discover }: Pick<IntegrationsContext, 'discover'>,
  known: Known,
  issuer: string,
): Promise<{ record: FullRecord; seen: Evidence['seen'] }> => {
  const unreadable = new CommandRefused(
    `${issuer} can't be reached, or has no readable discovery document. Check the address, or give --authorize-url and --token-url instead of --issuer.`,
  );
  const { record } = await Promise.resolve(discover({ record: { ...known, issuer }, custom: true })).catch(() => {
    throw unreadable;
  });
  const source = `${issuer}, its discovery document`;
  const fields = [
    'issuer',
    'authorize.url',
    'token',
    ...(['revoke', 'identity'] as const).filter((part) => record[part]),
  ];
  return { record, seen: Object.fromEntries(fields.map((field) => [field, source])) };
};

/** Drafts an entry with the usual values. Fields that nobody has looked up are listed as unchecked. */
const draftFromAddresses = (known: Known, authorizeUrl: string, tokenUrl: string): FullRecord => ({
  ...known,
  pkce: 'supported',
  authorize: { url: authorizeUrl },
  token: { url: tokenUrl },
  refresh: { rotates: 'unknown' },
  revoke: null,
});

const refuseFlaws = (record: FullRecord): void => {
  const flaws = findEntryFlaws(record, false);
  if (flaws.length > 0) throw new CommandRefused(`This would be no valid entry: ${flaws.join('; ')}.`);
};

/** Drafts an entry for the catalog or for an operator's own file, with its evidence so far. */
export const draftEntry = async (
  context: Pick<IntegrationsContext, 'discover' | 'clock'>,
  { issuer, authorizeUrl = '', tokenUrl = '', ...known }: Answers,
): Promise<DraftEntry> => {
  const checked = toIso(context.clock.now()).slice(0, 10);
  const { record, seen } =
    issuer === undefined
      ? { record: draftFromAddresses(known, authorizeUrl, tokenUrl), seen: {} }
      : await draftFromIssuer(context, known, issuer);
  refuseFlaws(record);
  const evidence = { checked, seen };
  return { ...record, evidence: { ...evidence, unchecked: findUnproven(record, evidence) } };
};
