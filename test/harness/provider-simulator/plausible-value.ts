import { hash } from 'node:crypto';
import { addressesOf, domainsOf } from './entry.ts';
import type { SimulatedProvider, Values } from './simulated-provider.ts';
import { anchored, fill } from './template.ts';

const LABELS = ['acme', 'accounts', 'api', 'www', 'login', 'eu'];

const digitsOf = (account: string): string => String(parseInt(hash('sha256', account).slice(0, 10), 16));

/** What stands for `{name}` in an address: all of it, a base, a host, one label of a host, or a part of the path. */
const useOf = (addresses: readonly string[], name: string): 'address' | 'base' | 'host' | 'label' | 'part' => {
  const place = `{${name}}`;
  if (addresses.includes(place)) return 'address';
  if (addresses.some((address) => address.startsWith(place))) return 'base';
  const inHost = addresses.find((address) => address.split('/')[2]?.includes(place));
  // We don't ask for it, but this is its name.
  if (inHost === undefined) return /_(?:url|domain|server)$/.test(name) ? 'base' : 'part';
  return inHost.split('/')[2] === place ? 'host' : 'label';
};

/**
 * What a provider could give for a value that is kept. It isn't the entry's default, so that forgetting to keep it is
 * noticed. If it becomes a host, it is in one of the entry's domains.
 */
export const plausibleValue = (
  { record, quirks }: SimulatedProvider,
  name: string,
  values: Values,
  account: string,
  pattern = '.+',
): string => {
  const given = quirks.kept?.[name];
  if (given !== undefined) return given;
  const domains = domainsOf(record);
  const hosts = domains.flatMap((domain) => [
    ...Object.values(values).map((value) => `${value}.${domain}`),
    ...LABELS.map((label) => `${label}.${domain}`),
    domain,
  ]);
  const standard = fill(record.defaults?.[name] ?? '', values);
  const others = hosts.filter((host) => standard !== host && standard !== `https://${host}`);
  const bases = [...others, ...hosts].map((host) => `https://${host}`);
  const parts = [
    `${name}-${account}`,
    digitsOf(account),
    'acme',
    '0f8fad5b-d9cb-469f-a165-70867728950e',
    'us',
    'US',
    'EU',
  ];
  const byUse = {
    address: bases.map((base) => `${base}/simulated/${account}`),
    base: bases,
    host: [...others, ...hosts],
    label: [...LABELS, 'us', 'us19'],
    part: parts,
  };
  const use = useOf(addressesOf(record), name);
  const known = [values[name], record.params?.[name]?.example].filter((value) => value !== undefined);
  const candidates = [...known, ...byUse[use], ...parts, ...hosts, ...bases, standard];
  const found = candidates.find((candidate) => anchored(pattern).test(candidate));
  if (found === undefined)
    throw new Error(`${record.id}: no plausible value for "${name}" (${pattern}): give one in the option "kept".`);
  return found;
};
