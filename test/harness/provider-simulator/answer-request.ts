import { type Json, putAt, readAt } from './answer-path.ts';
import {
  buildIdentityAnswer,
  buildRefusal,
  buildSign,
  buildSitesAnswer,
  buildTokenAnswer,
  markSuccess,
} from './build-answer.ts';
import { API_KINDS, responseOf, withDefaults } from './entry.ts';
import { endGrant, endToken, issueTokens } from './issued-tokens.ts';
import type { Verdict } from './judge-request.ts';
import type { Grant, SimulatedProvider, Values } from './simulated-provider.ts';
import { fill } from './template.ts';

export type SimulatedAnswer = { status: number; body: Json | null; form?: boolean; reasons: readonly string[] };

const ERROR_STATUS = { invalid_request: 400, invalid_client: 401, invalid_grant: 400 } as const;

const refuseFlaws = ({ provider, flaws }: Verdict): SimulatedAnswer => {
  const reasons = flaws.map(({ reason }) => reason);
  const error = (['invalid_client', 'invalid_request', 'invalid_grant'] as const).find((one) =>
    flaws.some((flaw) => flaw.error === one),
  );
  const { status, body } = buildRefusal(
    provider,
    error ?? 'invalid_request',
    reasons.join('; '),
    ERROR_STATUS[error ?? 'invalid_request'],
  );
  return { status, body, reasons };
};

const refuseDead = ({ provider, kind, grant }: Verdict, dead: string, now: number): SimulatedAnswer => {
  if (kind === 'revoke') {
    const { auth, gone = auth === 'none' ? [401] : [] } = provider.record.revoke ?? {};
    if (provider.record.errors?.okField !== undefined)
      return { ...buildRefusal(provider, 'invalid_grant', dead), reasons: [dead] };
    // According to RFC 7009, a token that is already dead isn't an error.
    if (gone[0] === undefined) return { status: 200, body: null, reasons: [dead] };
    const usual = { status: 400, code: 'invalid_token', description: dead };
    return { ...buildSign(provider, gone[0], usual), reasons: [dead] };
  }
  if (kind === 'refresh' && grant && provider.quirks.reuseEndsGrant && dead.includes('used before'))
    endGrant(grant, now, 'a refresh token was used twice, which ended the grant');
  const isToken = kind === 'identity' || kind === 'sites' || kind === 'upgrade' || API_KINDS.has(kind);
  const { status, body } = buildRefusal(
    provider,
    isToken ? 'invalid_token' : 'invalid_grant',
    dead,
    isToken ? 401 : 400,
  );
  return { status, body, reasons: [dead] };
};

const asText = (value: Json | undefined): string => (typeof value === 'number' ? String(value) : String(value ?? ''));

/** Two of the entry's places may be one, so the account is what a careful reader of the response sees. */
const rememberAccount = (provider: SimulatedProvider, grant: Grant, answer: Json): void => {
  const { identity } = provider.record;
  if (!identity) return;
  const values = withDefaults(provider, grant.values);
  const read = (place: string): string => (place.includes('{') ? fill(place, values) : asText(readAt(answer, place)));
  grant.account = { id: read(identity.id), label: read(identity.label) };
};

/** A site is listed once or several times. */
const rememberSites = ({ record: { sites } }: SimulatedProvider, grant: Grant, answer: Json): void => {
  const list = sites && (sites.list === '' ? answer : readAt(answer, sites.list));
  if (!sites || !Array.isArray(list)) return;
  const read = (one: Json, place: string): string => asText(readAt(one, place));
  grant.sites = list.map((one) => ({
    id: read(one, sites.id),
    label: read(one, sites.label),
    values: Object.fromEntries(Object.entries(sites.keep).map(([name, place]) => [name, read(one, place)])),
  }));
};

/** From now on, requests contain what the response has just provided. */
const keepFor = (grant: Grant, keep: Values = {}): void => {
  const kept = Object.keys(keep).map((name) => [name, grant.kept[name] ?? '']);
  grant.values = { ...grant.values, ...Object.fromEntries(kept) };
};

const revoke = ({ provider, grant, access, refresh }: Verdict & { grant: Grant }, now: number): SimulatedAnswer => {
  const { ok = [200], kills = 'token' } = provider.record.revoke ?? {};
  const why = 'the token was revoked';
  const { revocation } = provider.quirks;
  // Without a token in the request, it names the grant.
  const isWhole = kills === 'grant' || !access || refresh !== undefined;
  if (revocation === undefined && isWhole) endGrant(grant, now, why);
  if (revocation === undefined) endToken(access, now, why);
  if (revocation === 'refresh_only') for (const token of grant.refresh) endToken(token, now, why);
  const status = ok[0] ?? 200;
  return { status, body: status === 204 ? null : markSuccess(provider, {}), reasons: [] };
};

const acceptVerification = (provider: SimulatedProvider): SimulatedAnswer => {
  const { status = 200, has = [] } = provider.record.api?.verify ?? {};
  const body = has.reduce<Json>((filled, path) => putAt(filled, path, 'there'), {});
  return { status, body: markSuccess(provider, body), reasons: [] };
};

/** Does what was requested, and responds as this provider does. */
export const answerRequest = (verdict: Verdict, now: number): SimulatedAnswer => {
  const { provider, kind, grant, flaws, dead, refresh } = verdict;
  if (flaws.length > 0 || !grant) return refuseFlaws(verdict);
  if (dead !== null) return refuseDead(verdict, dead, now);
  if (kind === 'revoke') return revoke({ ...verdict, grant }, now);
  if (kind === 'identity') {
    const body = buildIdentityAnswer(provider, grant);
    rememberAccount(provider, grant, body);
    rememberSites(provider, grant, body);
    keepFor(grant, provider.record.identity?.keep);
    return { status: 200, body, reasons: [] };
  }
  if (kind === 'sites') {
    const body = buildSitesAnswer(provider, grant);
    rememberSites(provider, grant, body);
    return { status: 200, body, reasons: [] };
  }
  if (kind === 'verify') return acceptVerification(provider);
  if (kind === 'site_call') return { status: 200, body: markSuccess(provider, {}), reasons: [] };
  if (kind === 'token') grant.codeUsed = true;
  if (kind === 'upgrade') grant.upgraded = true;
  const body = buildTokenAnswer(provider, kind, grant, issueTokens(provider, kind, grant, refresh, now));
  keepFor(grant, responseOf(provider.record, kind).keep);
  const isExtension = kind === 'refresh' && provider.record.refresh?.extended !== undefined;
  if (!provider.record.identity?.url && !isExtension) rememberAccount(provider, grant, body);
  const { status = 200, formAnswer = false } = provider.quirks;
  return { status, body, form: formAnswer, reasons: [] };
};
