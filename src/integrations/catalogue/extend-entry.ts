import type { ProviderRecord } from './provider.ts';

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether an entry states only what differs from a built-in entry. */
export const isExtension = (value: unknown): value is Fields => isObject(value) && value['extends'] === true;

/** Merges objects field by field. Anything else is replaced. */
const merge = (base: unknown, changes: unknown): unknown => {
  if (!isObject(base) || !isObject(changes)) return changes;
  const merged = Object.entries(changes).map(([name, change]) => {
    return [name, merge(Object.hasOwn(base, name) ? base[name] : undefined, change)] as const;
  });
  return { ...base, ...Object.fromEntries(merged) };
};

/** Changes a built-in entry by the extension's fields. The result isn't validated yet. */
export const extendEntry = (entry: ProviderRecord, { extends: _, ...fields }: Fields): unknown => merge(entry, fields);

const ADDRESSES = new Set(['url', 'issuer', 'domains']);

/** Whether an extension changes where requests go. If not, all URLs are those of the built-in entry. */
export const namesAddress = (extension: unknown): boolean =>
  isObject(extension) && Object.entries(extension).some(([name, value]) => ADDRESSES.has(name) || namesAddress(value));
