import { createHash } from 'node:crypto';
import type { FullRecord } from '../../../src/integrations/catalogue/provider.ts';
import { oncePer } from '../../../src/platform/index.ts';
import { API_KINDS, domainsOf, KINDS, specOf } from './entry.ts';
import { expectRequest, type Presented } from './expected-request.ts';
import { type Flaw, findFlaws } from './find-flaws.ts';
import { freshRandomIn } from './fresh-random.ts';
import { whyDead } from './issued-tokens.ts';
import type { Grant, IssuedToken, Kind, SimulatedProvider } from './simulated-provider.ts';
import { addressPattern } from './template.ts';
import { BY_PROXY, textsOf, type WireRequest } from './wire-request.ts';

const CODE_LIFETIME_MS = 10 * 60_000;
const DAY_MS = 24 * 3_600_000;

export type Verdict = {
  provider: SimulatedProvider;
  kind: Kind;
  grant: Grant | null;
  access: IssuedToken | undefined;
  refresh: IssuedToken | undefined;
  random: string;
  /** It is not the request that the entry describes. */
  flaws: readonly Flaw[];
  /** It is, but what it carries no longer works. */
  dead: string | null;
};

/** `start`: up to the first placeholder or the end of the host, which tells most entries apart without the pattern. */
type Place = { template: string; start: string; pattern: RegExp };

const startOf = (template: string): string => (/^https?:\/\/[^/{?#]*/.exec(template)?.[0] ?? '').toLowerCase();

/** Made once, because every request is compared with those of the whole catalogue. */
const placesOf = oncePer(
  (record: FullRecord): ReadonlyMap<Kind, Place> =>
    new Map(
      KINDS.flatMap((kind) => {
        const template = specOf(record, kind)?.url;
        return template
          ? [[kind, { template, start: startOf(template), pattern: addressPattern(record, template) }]]
          : [];
      }),
    ),
);

/** Whether the address can be one of this entry's, whatever its placeholders stand for. */
export const canBeAt = ({ record }: SimulatedProvider, kind: Kind, address: string): boolean => {
  const place = placesOf(record).get(kind);
  if (!place || !address.startsWith(place.start) || !place.pattern.test(address)) return false;
  if (!place.template.startsWith('{')) return true;
  const { hostname } = new URL(address);
  return domainsOf(record).some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));
};

const lastIn = (tokens: readonly IssuedToken[], texts: readonly string[]): IssuedToken | undefined =>
  tokens.findLast(({ value }) => texts.some((text) => text.includes(value)));

/** The grant whose code or token the request carries, or else something kept from it; otherwise the newest. */
const findGrant = ({ grants }: SimulatedProvider, texts: readonly string[]): Grant | undefined =>
  grants.findLast(
    ({ code, access, refresh }) => texts.some((text) => text.includes(code)) || lastIn([...access, ...refresh], texts),
  ) ??
  grants.findLast(({ kept }) => Object.values(kept).some((value) => texts.includes(value))) ??
  grants.at(-1);

const matchesChallenge = (verifier: string, challenge: string): boolean =>
  /^[\w.~-]{43,128}$/.test(verifier) && createHash('sha256').update(verifier).digest('base64url') === challenge;

const paramIn = ({ address, body }: WireRequest, name: string): string =>
  [...address.query, ...body.params].find(([given]) => given === name)?.[1] ?? '';

const whyGrantIsOver = ({ record }: SimulatedProvider, { usedAt }: Grant, now: number): string | null => {
  const { idleDays } = record.refresh ?? {};
  return idleDays !== undefined && now > usedAt + idleDays * DAY_MS ? 'the grant was idle for too long' : null;
};

const whyDeadNow = (
  { provider, kind, grant, access, refresh }: Verdict & { grant: Grant },
  now: number,
): string | null => {
  const { record } = provider;
  if (kind === 'token') {
    if (grant.codeUsed) return 'the code was used before';
    return now > grant.consentedAt + CODE_LIFETIME_MS ? 'the code has expired' : null;
  }
  if (kind === 'refresh') {
    const spent = record.refresh?.with === 'access_token' ? access : refresh;
    const youngest = grant.access.at(-1)?.issuedAt ?? 0;
    if (now < youngest + (record.refresh?.leastAgeSeconds ?? 0) * 1_000) return 'the access token is too young';
    return whyDead(spent, now) ?? whyGrantIsOver(provider, grant, now);
  }
  if (kind === 'revoke') {
    const prefersAccess = record.revoke?.token === 'access' || grant.refresh.length === 0;
    const named = prefersAccess ? (access ?? refresh) : (refresh ?? access);
    return whyDead(named ?? grant.refresh.at(-1) ?? grant.access.at(-1), now);
  }
  return whyDead(access, now);
};

/** An upgrade may look like a refresh: an upgrade comes before the first token is upgraded, a refresh after. */
const weightOfTurn = ({ record }: SimulatedProvider, kind: Kind, grant: Grant): number => {
  if (kind === 'upgrade') return grant.upgraded ? 50 : 0;
  return kind === 'refresh' && record.token.upgrade && !grant.upgraded ? 50 : 0;
};

const judgeAs = (provider: SimulatedProvider, kind: Kind, request: WireRequest, now: number) => {
  const texts = textsOf(request);
  const grant = findGrant(provider, texts);
  const { params, headers } = specOf(provider.record, kind) ?? {};
  const random = freshRandomIn(
    provider,
    { ...params, ...headers },
    (name) => paramIn(request, name) || request.headers[name.toLowerCase()],
  );
  const none = { provider, kind, grant: null, access: undefined, refresh: undefined, random, dead: null };
  if (!grant) {
    const flaw: Flaw = { error: 'invalid_grant', reason: 'nobody has consented here', weight: 1_000 };
    return { verdict: { ...none, flaws: [flaw] }, weight: flaw.weight };
  }
  const access = lastIn(grant.access, texts);
  const refresh = lastIn(grant.refresh, texts);
  const rename = specOf(provider.record, kind)?.rename ?? {};
  const verifier = paramIn(request, rename['code_verifier'] ?? 'code_verifier');
  const presented: Presented = {
    access: access?.value ?? grant.access.at(-1)?.value ?? '',
    refresh: refresh?.value ?? grant.refresh.at(-1)?.value ?? '',
    random,
    verifier:
      grant.challenge !== null && matchesChallenge(verifier, grant.challenge)
        ? verifier
        : 'what hashes to the code_challenge',
  };
  const expected = expectRequest(provider, kind, grant, presented);
  const flaws = expected ? findFlaws(provider, request, expected) : [];
  const verdict: Verdict & { grant: Grant } = { ...none, grant, access, refresh, flaws };
  const weight = flaws.reduce((sum, flaw) => sum + flaw.weight, 0) + weightOfTurn(provider, kind, grant);
  return { verdict: { ...verdict, dead: flaws.length === 0 ? whyDeadNow(verdict, now) : null }, weight };
};

/** Treats the request as the best match among those possible at its address. Null if there are none. */
export const judgeRequest = (
  providers: Iterable<SimulatedProvider>,
  request: WireRequest,
  now: number,
): Verdict | null => {
  const isByProxy = request.headers[BY_PROXY] !== undefined;
  const kinds = KINDS.filter((kind) => (isByProxy ? API_KINDS.has(kind) : kind !== 'site_call'));
  const all = [...providers].flatMap((provider) =>
    kinds
      .filter((kind) => canBeAt(provider, kind, request.address.text))
      .map((kind) => judgeAs(provider, kind, request, now)),
  );
  const verdict = all.sort((one, other) => one.weight - other.weight)[0]?.verdict ?? null;
  verdict?.provider.randoms.add(verdict.random);
  return verdict;
};
