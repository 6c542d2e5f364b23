import { readdirSync, readFileSync } from 'node:fs';
import { keyBased, notKeyBased, providerUnknown } from '../errors.ts';
import type { Evidence } from './evidence/evidence.ts';
import { extendEntry, isExtension, namesAddress } from './extend-entry.ts';
import { findEntryFlaws } from './find-entry-flaws.ts';
import type { Proof } from './proof.ts';
import type {
  BuiltInRecord,
  Catalogue,
  ClientCredentialsProvider,
  KeyProvider,
  OauthProvider,
  Provider,
} from './provider.ts';

/** Thrown if an entry can't be used. Each line names the file and the field. */
export class CatalogueRefused extends Error {
  override readonly name = 'CatalogueRefused';
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

const DIRECTORY = new URL('./entries/', import.meta.url);
/** All built-in entries without their evidence. Reading one file is ten times as fast as reading hundreds. */
const GENERATED = new URL('./catalogue.json', import.meta.url);

const readJson = (path: string | URL, file: string): unknown => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'is not valid JSON' : 'cannot be read';
    throw new CatalogueRefused([`${file} ${why}.`]);
  }
};

/**
 * Reads the built-in entries with their evidence, for tests and for generated files. The service itself reads
 * `catalogue.json`, which `npm run check` has already checked.
 */
export const readEntries = (): { file: string; record: BuiltInRecord; evidence: Evidence }[] =>
  readdirSync(DIRECTORY)
    .sort()
    .map((file) => {
      const { evidence, ...record } = readJson(new URL(file, DIRECTORY), file) as BuiltInRecord & {
        evidence: Evidence;
      };
      return { file, record, evidence };
    });

/** A built-in entry as `catalogue.json` contains it. */
export type GeneratedEntry = { record: BuiltInRecord; proof: Proof };

type BuiltIn = ReadonlyMap<string, GeneratedEntry>;

type Completed = { value: unknown; custom: boolean; proof?: Proof; flaws: string[] };

/** Completes an entry of the operator's file with the fields of the built-in entry that it extends, if any. */
const complete = (value: unknown, builtIn: BuiltIn): Completed => {
  if (!isExtension(value)) return { value, custom: true, flaws: [] };
  const entry = builtIn.get(String(value['id']));
  if (!entry) return { value, custom: true, flaws: ['/extends is true, but there is no built-in entry with this id'] };
  const extended = { value: extendEntry(entry.record, value), flaws: [] };
  return namesAddress(value) ? { ...extended, custom: true } : { ...extended, custom: false, proof: entry.proof };
};

const readCustom = (path: string, builtIn: BuiltIn, production: boolean): Provider[] => {
  const list = readJson(path, path);
  if (!Array.isArray(list)) throw new CatalogueRefused([`${path} must contain a JSON array of providers.`]);
  const entries = list.map((value) => complete(value, builtIn));
  const flaws = entries.flatMap(({ value, flaws: known }, index) =>
    (known.length > 0 ? known : findEntryFlaws(value, production)).map(
      (flaw) => `${path}, entry ${index + 1}: ${flaw}.`,
    ),
  );
  const ids: unknown[] = list.map((value) => value?.id).filter((id) => id !== undefined);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${path}: "${id}" appears twice.`);
  if (flaws.length + twice.length > 0) throw new CatalogueRefused([...flaws, ...twice]);
  return entries.map(({ value, flaws: _, ...known }) => ({ record: value, ...known, named: true }) as Provider);
};

/** Read once, because the file doesn't change while the program runs, and its entries are never changed. */
let generated: BuiltIn | undefined;

const readGenerated = (): BuiltIn => {
  if (generated) return generated;
  const entries = readJson(GENERATED, 'catalogue.json') as GeneratedEntry[];
  generated = new Map(entries.map((entry) => [entry.record.id, entry]));
  return generated;
};

/**
 * Reads all entries, and checks those of the operator, which replace or extend built-in entries with the same ID.
 * Throws CatalogueRefused with everything that is wrong.
 */
export const loadCatalogue = (settings: { customFile: string | null; production: boolean }): Map<string, Provider> => {
  const { customFile, production } = settings;
  const builtIn = readGenerated();
  const own = customFile === null ? [] : readCustom(customFile, builtIn, production);
  const providers = [...[...builtIn.values()].map((entry) => ({ ...entry, custom: false }) as Provider), ...own];
  return new Map(providers.map((provider) => [provider.record.id, provider]));
};

export const findProvider = (catalogue: Catalogue, id: string): Provider => {
  const provider = catalogue.get(id);
  if (!provider) throw providerUnknown();
  return provider;
};

/** Whether a provider is connected with a key instead of OAuth. */
export const isKeyBased = (provider: Provider): provider is KeyProvider => 'fields' in provider.record;

/** Whether a provider's key is only used to request access tokens, which are renewed like OAuth's. */
export const usesClientCredentials = (provider: Provider): provider is ClientCredentialsProvider =>
  provider.record.kind === 'client_credentials';

/** Returns undefined if there is no such provider, or if it no longer uses OAuth. */
export const getOauthProvider = (catalogue: Catalogue, id: string): OauthProvider | undefined => {
  const provider = catalogue.get(id);
  return provider && !isKeyBased(provider) ? provider : undefined;
};

export const findOauthProvider = (catalogue: Catalogue, id: string): OauthProvider => {
  const provider = findProvider(catalogue, id);
  if (isKeyBased(provider)) throw keyBased();
  return provider;
};

export const findKeyProvider = (catalogue: Catalogue, id: string): KeyProvider => {
  const provider = findProvider(catalogue, id);
  if (!isKeyBased(provider)) throw notKeyBased();
  return provider;
};
