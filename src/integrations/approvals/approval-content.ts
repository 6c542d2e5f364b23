import { createEventLoopTurns, type HeaderList, Secret } from '../../platform/index.ts';
import type { SealedColumn, Vault } from '../../vault/index.ts';
import type { Approval } from './approval.ts';

/** Where a request goes, as its caller wrote it. `path` begins with a slash, and `query` has no question mark. */
export type ApprovalTarget = { method: string; path: string; query: string };

/** What the provider gets, besides the credential. */
export type Content = {
  headers: HeaderList;
  /** Null if there is none. */
  body: Buffer | null;
  /** What decides about the links in the response: headers of the caller's request. */
  asker: Record<string, string>;
};

/** The provider's response, as the proxy would have returned it. */
export type KeptResponse = {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
  /** Whether only the beginning was kept. */
  isCut: boolean;
};

const FIELDS = ['target', 'content', 'response'] as const;
type Field = (typeof FIELDS)[number];
type Place = Pick<Approval, 'teamId' | 'id'>;

const placeOf = (id: string, field: Field) => ({ record: `approvals/${id}`, field });

export const SEALED_APPROVALS: readonly SealedColumn[] = FIELDS.map((field) => ({
  ...(field === 'target'
    ? { table: 'approvals', placedBy: ['id'] }
    : { table: 'approval_contents', placedBy: ['approval_id'] }),
  column: field,
  placesOf: (id = '') => [placeOf(id, field)],
}));

const seal = (vault: Vault, { teamId, id }: Place, field: Field, value: unknown): Promise<string> =>
  vault.seal(teamId, placeOf(id, field), new Secret(JSON.stringify(value)));

const open = async (vault: Vault, { teamId, id }: Place, field: Field, sealed: string) =>
  JSON.parse((await vault.open(teamId, placeOf(id, field), sealed)).reveal());

export const sealTarget = (vault: Vault, place: Place, target: ApprovalTarget): Promise<string> =>
  seal(vault, place, 'target', target);

export const openTarget = (vault: Vault, approval: Place & Pick<Approval, 'target'>): Promise<ApprovalTarget> =>
  open(vault, approval, 'target', approval.target);

export const sealContent = (vault: Vault, place: Place, { body, ...rest }: Content): Promise<string> =>
  seal(vault, place, 'content', { ...rest, body: body === null ? null : body.toString('base64') });

export const openContent = async (vault: Vault, place: Place, sealed: string): Promise<Content> => {
  const { body, ...rest } = await open(vault, place, 'content', sealed);
  return { ...rest, body: body === null ? null : Buffer.from(body, 'base64') };
};

/** How long responses may be sealed in each turn of the event loop. A megabyte takes longer than that. */
const SHARE_MS = 4;
const turns = createEventLoopTurns(SHARE_MS);

/** Seals one response after the other: many that arrive at once would hold up everything else. */
export const sealResponse = async (vault: Vault, place: Place, { body, ...rest }: KeptResponse): Promise<string> => {
  await turns.wait();
  return seal(vault, place, 'response', { ...rest, body: body.toString('base64') });
};

export const openResponse = async (vault: Vault, place: Place, sealed: string): Promise<KeptResponse> => {
  await turns.wait();
  const { body, ...rest } = await open(vault, place, 'response', sealed);
  return { ...rest, body: Buffer.from(body, 'base64') };
};
