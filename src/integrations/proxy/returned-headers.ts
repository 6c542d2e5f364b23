import type { HeaderList } from '../../platform/index.ts';
import { hideCredential } from './hide-credential.ts';
import { WITH_ONE_URL } from './links/rewrite-links.ts';
import type { OpenApi } from './open-api.ts';
import { HOP_BY_HOP, tokensOf } from './proxy-headers.ts';

/** Headers that aren't returned, because we set our own value or none. */
const OURS = [
  'cache-control',
  'expires',
  'pragma',
  'referrer-policy',
  'x-content-type-options',
  'x-frame-options',
  'x-request-id',
];

/**
 * Headers that browsers remember for our whole origin: cookies, rules for connections, reporting endpoints, sign-ins,
 * devices.
 */
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

/** Headers that tell a browser what our page may do, where it leads, or who may embed it. */
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
  'turbo-location',
  'x-dns-prefetch-control',
  'x-inertia-location',
  'x-permitted-cross-domain-policies',
  'x-sourcemap',
  'x-xss-protection',
];

/** Headers that a web server in front of us would obey, by sending one of its own files or by caching the response. */
const FOR_SERVERS_IN_FRONT = ['edge-control', 'x-lighttpd-send-file', 'x-sendfile'];

const NOT_RETURNED = new Set([...HOP_BY_HOP, ...OURS, ...REMEMBERED, ...ABOUT_PAGES, ...FOR_SERVERS_IN_FRONT]);
const NOT_RETURNED_FAMILIES =
  /^(?:accept-ch|access-control-|ad-auction-|attribution-reporting-|content-security-policy|cross-origin-|hx-|patchbay-|sec-|secure-session-|service-worker-|surrogate-|x-accel-|x-appengine-|x-litespeed-|x-reproxy-)|-report-only$|cdn-cache-control$/;

/** Schemes that make a browser ask for a password in our name. API clients need the other schemes, such as `Bearer`. */
const OPENS_DIALOG = /(?:^|,)\s*(?:basic|digest|negotiate|ntlm)\b/i;

/** Statuses without a body, and so without a length (RFC 9110, section 8.6). */
const WITHOUT_BODY = new Set([204, 304]);

export const hasNoBody = (status: number): boolean => WITHOUT_BODY.has(status);

const isReturned = (status: number, name: string, value: string): boolean => {
  if (NOT_RETURNED.has(name) || NOT_RETURNED_FAMILIES.test(name)) return false;
  if (name === 'www-authenticate') return !OPENS_DIALOG.test(value);
  return name !== 'content-length' || !hasNoBody(status);
};

/** Headers of which only the first is returned. Given two, some clients use the first, and others the last. */
const ONCE = new Set(['content-type', ...WITH_ONE_URL]);

/** Groups headers by name, because Fastify takes one value or a list for each name. */
const group = (headers: HeaderList): Record<string, string | string[]> => {
  const grouped = new Map<string, string | string[]>();
  for (const [name, value] of headers) {
    const known = grouped.get(name);
    if (known === undefined) grouped.set(name, value);
    else if (ONCE.has(name)) continue;
    else if (typeof known === 'string') grouped.set(name, [known, value]);
    else known.push(value);
  }
  return Object.fromEntries(grouped);
};

/**
 * Returns the provider's headers for the caller, without the credential, and without headers that aren't meant for the
 * caller.
 */
export const returnedHeaders = (
  { status, headers }: { status: number; headers: HeaderList },
  { query }: OpenApi['credential'],
  /** Rewrites links, so that on our own host, they lead only to the proxy. */
  rewrite: (headers: HeaderList) => HeaderList,
): Record<string, string | string[]> => {
  const plain = headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  const named = new Set(plain.filter(([name]) => name === 'connection').flatMap(([, value]) => tokensOf(value)));
  const kept = plain.filter(([name, value]) => isReturned(status, name, value) && !named.has(name));
  // Hide the credential after rewriting. Rewriting normalizes URLs, which may make the credential recognizable.
  return group(query ? hideCredential(rewrite(kept), query) : rewrite(kept));
};
