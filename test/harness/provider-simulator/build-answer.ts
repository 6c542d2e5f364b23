import type { ErrorSign } from '../../../src/integrations/catalogue/provider.ts';
import { type Json, putAt, readAt } from './answer-path.ts';
import { responseOf, separatorOf } from './entry.ts';
import type { Issued } from './issued-tokens.ts';
import { plausibleValue } from './plausible-value.ts';
import type { Grant, Kind, SimulatedProvider } from './simulated-provider.ts';

const DAY_S = 24 * 3_600;

/** The account at the places where the entry looks for it. */
const putAccount = ({ record: { identity }, quirks }: SimulatedProvider, { account }: Grant, answer: Json): Json => {
  if (!identity) return answer;
  const id = quirks.numericAccountId ? Number(account.id) : account.id;
  // A placeholder isn't a place: the account is already known.
  const places = (
    [
      [identity.id, id],
      [identity.label, account.label],
    ] as const
  ).filter(([path]) => !path.includes('{'));
  return places.reduce<Json>((filled, [path, value]) => putAt(filled, path, value), answer);
};

/** With the field that indicates success, if the entry has one. */
export const markSuccess = ({ record: { errors } }: SimulatedProvider, answer: Json): Json =>
  errors?.okField === undefined || Array.isArray(answer) ? answer : putAt(answer, errors.okField, true);

/** Among those that identity has put there, one more than it, and two at least. */
const putSites = (provider: SimulatedProvider, grant: Grant, answer: Json): Json => {
  const { sites } = provider.record;
  if (!sites) return answer;
  const list = sites.list === '' ? answer : readAt(answer, sites.list);
  const count = Math.max(2, Array.isArray(list) ? list.length + 1 : 0);
  const { account, values } = grant;
  const numbers = Array.from({ length: count }, (_, index) => index);
  return numbers.reduce<Json>((filled, index) => {
    const id = `${account.id}-site-${index}`;
    const kept = Object.entries(sites.keep).map(([name, path]): [string, string] => {
      const value = plausibleValue(provider, name, values, id);
      return [path, value.replace(/^https:\/\//, `https://site${index}.`)];
    });
    const fields: [string, string][] = [[sites.id, id], [sites.label, `Site ${index} of ${account.id}`], ...kept];
    return fields.reduce<Json>((one, [path, value]) => putAt(one, `${sites.list}[${index}].${path}`, value), filled);
  }, answer);
};

export const buildSitesAnswer = (provider: SimulatedProvider, grant: Grant): Json =>
  putSites(provider, grant, provider.record.sites?.list === '' ? [] : {});

export const buildIdentityAnswer = (provider: SimulatedProvider, grant: Grant): Json => {
  const { identity } = provider.record;
  const answer = /^\[/.test(identity?.id ?? '') ? [] : {};
  const kept = Object.entries(identity?.keep ?? {});
  const filled = kept.reduce<Json>((so, [name, path]) => putAt(so, path, grant.kept[name] ?? ''), answer);
  const ofAccount = putAccount(provider, grant, filled);
  const isListed = provider.record.sites && provider.record.sites.url === undefined;
  return markSuccess(provider, isListed ? putSites(provider, grant, ofAccount) : ofAccount);
};

const showInstant = (ms: number, { quirks }: SimulatedProvider): Json => {
  if (quirks.expiresAtAs === 'iso') return new Date(ms).toISOString();
  return quirks.expiresAtAs === 'milliseconds' ? ms : Math.floor(ms / 1_000);
};

const expiryOf = (provider: SimulatedProvider, kind: Kind, { access }: Issued): [string, Json] | null => {
  const fields = responseOf(provider.record, kind);
  if (access.expiresAt === null || fields.expiryFromJwt) return null;
  if (fields.expiresAt?.[0] || provider.quirks.expiresAtAs)
    return [fields.expiresAt?.[0] ?? 'expires_at', showInstant(access.expiresAt, provider)];
  if (fields.defaultExpiresIn !== undefined && !fields.expiresIn) return null;
  const lasts = (access.expiresAt - access.issuedAt) / (fields.expiresUnit === 'milliseconds' ? 1 : 1_000);
  return [fields.expiresIn?.[0] ?? 'expires_in', provider.quirks.expiresInAs === 'string' ? String(lasts) : lasts];
};

const showScopes = (provider: SimulatedProvider, { scopes }: Grant): Json | null => {
  const { scopesAs = provider.record.callback?.scopeParam ? 'absent' : 'joined' } = provider.quirks;
  if (scopesAs === 'absent') return null;
  if (scopesAs === 'array') return [...scopes];
  if (scopesAs === 'comma') return scopes.join(',');
  return scopes.join(scopesAs === 'space' || separatorOf(provider.record) === '+' ? ' ' : separatorOf(provider.record));
};

const refreshExpiryOf = (provider: SimulatedProvider, kind: Kind): [string, Json] | null => {
  const path = responseOf(provider.record, kind).refreshExpiresIn?.[0];
  const { absoluteDays, idleDays } = provider.record.refresh ?? {};
  return path ? [path, (absoluteDays ?? idleDays ?? 365) * DAY_S] : null;
};

/** A token response with the entry's own fields in the entry's own places. */
export const buildTokenAnswer = (provider: SimulatedProvider, kind: Kind, grant: Grant, issued: Issued): Json => {
  const { record, quirks } = provider;
  if (kind === 'refresh' && record.refresh?.extended)
    return Object.entries(record.refresh.extended).reduce<Json>((so, [path, text]) => putAt(so, path, text), {});
  const fields = responseOf(record, kind);
  const root = quirks.root ?? fields.roots?.find((one) => one !== '') ?? '';
  const { tokenType = 'Bearer' } = quirks;
  const scopes = showScopes(provider, grant);
  const inRoot: ([string, Json] | null)[] = [
    [fields.accessToken?.[0] ?? 'access_token', issued.access.value],
    issued.refresh && [fields.refreshToken?.[0] ?? 'refresh_token', issued.refresh.value],
    tokenType === null ? null : ['token_type', tokenType],
    scopes === null || scopes === '' ? null : [fields.scope?.[0] ?? quirks.scopeField ?? 'scope', scopes],
    expiryOf(provider, kind, issued),
    issued.refresh && refreshExpiryOf(provider, kind),
  ];
  let answer: Json = {};
  for (const field of inRoot) if (field) answer = putAt(answer, root ? `${root}.${field[0]}` : field[0], field[1]);
  for (const [name, path] of Object.entries(fields.keep ?? {})) answer = putAt(answer, path, grant.kept[name] ?? '');
  if (record.identity && !record.identity.url) answer = putAccount(provider, grant, answer);
  return markSuccess(provider, answer);
};

type SignParts = { status?: number; code?: string; says?: Readonly<Record<string, string>> };

const partsOf = (sign: ErrorSign): SignParts => {
  if (typeof sign === 'object') return sign;
  return typeof sign === 'number' ? { status: sign } : { code: sign };
};

/** An entry has numbers as text. */
const asSent = (text: string): Json => (/^[1-9]\d*$/.test(text) ? Number(text) : text);

/** A refusal that carries the sign, and is otherwise standard. */
export const buildSign = (
  { record: { errors } }: SimulatedProvider,
  sign: ErrorSign,
  usual: { status: number; code: string; description: string },
): { status: number; body: Json } => {
  const { status = usual.status, code = usual.code, says = {} } = partsOf(sign);
  // The words of the sign come first, because existing values aren't replaced.
  const said = Object.entries(says).reduce<Json>((answer, [path, words]) => putAt(answer, path, asSent(words)), {});
  const body = putAt(putAt(said, errors?.code?.[0] ?? 'error', asSent(code)), 'error_description', usual.description);
  return { status, body };
};

/** A refusal as this provider words it: some use status 200. */
export const buildRefusal = (
  provider: SimulatedProvider,
  error: string,
  description: string,
  usualStatus = 400,
): { status: number; body: Json } => {
  const { errors } = provider.record;
  const sign = error === 'invalid_grant' ? (errors?.invalidGrant?.[0] ?? error) : error;
  const { status, body } = buildSign(provider, sign, { status: usualStatus, code: error, description });
  if (errors?.okField !== undefined) return { status: 200, body: putAt(body, errors.okField, false) };
  return { status: provider.quirks.errorStatus ?? (errors?.code ? 200 : status), body };
};
