import { type HeaderList, Secret } from '../../platform/index.ts';
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
  table: 'approvals',
  column: field,
  placedBy: ['id'],
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

/** Null if the content was erased. */
export const openContent = async (
  vault: Vault,
  approval: Place & Pick<Approval, 'content'>,
): Promise<Content | null> => {
  if (approval.content === null) return null;
  const { body, ...rest } = await open(vault, approval, 'content', approval.content);
  return { ...rest, body: body === null ? null : Buffer.from(body, 'base64') };
};

export const sealResponse = (vault: Vault, place: Place, { body, ...rest }: KeptResponse): Promise<string> =>
  seal(vault, place, 'response', { ...rest, body: body.toString('base64') });

export const openResponse = async (vault: Vault, place: Place, sealed: string): Promise<KeptResponse> => {
  const { body, ...rest } = await open(vault, place, 'response', sealed);
  return { ...rest, body: Buffer.from(body, 'base64') };
};
