import type { HeaderList } from '../../platform/index.ts';
import { hideCredential } from './hide-credential.ts';
import type { OpenApi } from './open-api.ts';
import { HOP_BY_HOP, tokensOf } from './proxy-headers.ts';

/** Ours are set instead, or none. */
const OURS = [
  'cache-control',
  'expires',
  'pragma',
  'referrer-policy',
  'x-content-type-options',
  'x-frame-options',
  'x-request-id',
];

/** Browsers remember them for our whole origin: cookies, rules for connections, where to report, sign-ins, devices. */
const REMEMBERED = [
  'activate-storage-access',
  'alt-svc',
  'clear-site-data',
  'critical-ch',
  'expect-ct',
  'nel',
  'origin-agent-cluster',
  'public-key-pins',
  'public-key-pins-report-only',
  'report-to',
  'reporting-endpoints',
  'set-cookie',
  'set-cookie2',
  'set-login',
  'strict-transport-security',
  'use-as-dictionary',
];

/** They tell a browser what our page may do, where it goes, or who may look at it. */
const ABOUT_PAGES = [
  'document-policy',
  'feature-policy',
  'integrity-policy',
  'no-vary-search',
  'observe-browsing-topics',
  'onion-location',
  'permissions-policy',
  'refresh',
  'require-document-policy',
  'shared-storage-write',
  'sourcemap',
  'speculation-rules',
  'supports-loading-mode',
  'timing-allow-origin',
  'x-dns-prefetch-control',
  'x-permitted-cross-domain-policies',
  'x-sourcemap',
  'x-xss-protection',
];

/** The operator's own server in front of us obeys them: it would send one of its files, or keep the response. */
const FOR_SERVERS_IN_FRONT = ['edge-control', 'x-lighttpd-send-file', 'x-sendfile'];

const NOT_RETURNED = new Set([...HOP_BY_HOP, ...OURS, ...REMEMBERED, ...ABOUT_PAGES, ...FOR_SERVERS_IN_FRONT]);
const NOT_RETURNED_FAMILIES =
  /^(?:accept-ch|access-control-|ad-auction-|attribution-reporting-|content-security-policy|cross-origin-|patchbay-|sec-|secure-session-|service-worker-|surrogate-|x-accel-|x-appengine-|x-litespeed-|x-reproxy-)|-report-only$|cdn-cache-control$/;

/** With these, a browser asks for a password in our name. API clients need the others, such as `Bearer`. */
const OPENS_DIALOG = /(?:^|,)\s*(?:basic|digest|negotiate|ntlm)\b/i;

/** A response without a body has no length (RFC 9110, section 8.6). */
const WITHOUT_BODY = new Set([204, 304]);

export const hasNoBody = (status: number): boolean => WITHOUT_BODY.has(status);

/** What the caller gets of the provider's headers. */
const toCallerHeaders = (status: number, headers: HeaderList): HeaderList => {
  const named = new Set(headers.filter(([name]) => /^connection$/i.test(name)).flatMap(([, value]) => tokensOf(value)));
  let hasType = false;
  return headers.filter(([given, value]) => {
    const name = given.toLowerCase();
    if (NOT_RETURNED.has(name) || NOT_RETURNED_FAMILIES.test(name) || named.has(name)) return false;
    if (name === 'www-authenticate') return !OPENS_DIALOG.test(value);
    if (name === 'content-length') return !hasNoBody(status);
    if (name !== 'content-type') return true;
    // Of two, some clients would believe the first, and others the last.
    const isFirst = !hasType;
    hasType = true;
    return isFirst;
  });
};

/** Fastify takes one value for each name, or a list. */
const group = (headers: HeaderList): Record<string, string | string[]> =>
  Object.fromEntries(
    [...Map.groupBy(headers, ([name]) => name.toLowerCase())].map(([name, pairs]) => {
      const [first = '', ...others] = pairs.map(([, value]) => value);
      return [name, others.length === 0 ? first : [first, ...others]];
    }),
  );

/** The provider's headers for the caller: without those that are meant for others, and without the credential. */
export const returnedHeaders = (
  { status, headers }: { status: number; headers: HeaderList },
  { query }: OpenApi['credential'],
): Record<string, string | string[]> => {
  const kept = toCallerHeaders(status, headers);
  return group(query ? hideCredential(kept, query) : kept);
};
