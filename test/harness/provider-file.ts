import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATOR, PROVIDER_IDS } from './oauth-server.ts';
import { makeTestDirectory } from './test-directory.ts';

/** The short form of a custom provider: everything else is discovered. */
export const shortRecord = (issuer: string) => ({ id: 'acme', name: 'Acme', issuer, scopes: ['email'] });

/** The full form, of the same server. */
export const fullRecord = (issuer: string, changes: Record<string, unknown> = {}) => ({
  id: 'acme-full',
  name: 'Acme in full',
  issuer,
  issuerInCallback: true,
  authorize: { url: `${issuer}/auth`, params: { prompt: 'consent' }, scopeSeparator: ' ' },
  token: { url: `${issuer}/token`, auth: 'basic', body: 'form' },
  refresh: { rotates: 'always' },
  revoke: { url: `${issuer}/token/revocation`, auth: 'basic' },
  identity: { url: `${issuer}/me`, id: 'sub', label: 'email' },
  pkce: 'required',
  scopes: ['email'],
  requiredScopes: ['openid', 'offline_access'],
  ...changes,
});

/** The server under each of its ids: both forms, and variants of the full one. */
export const allRecords = (issuer: string): { id: string }[] => [
  shortRecord(issuer),
  fullRecord(issuer),
  fullRecord(issuer, { id: 'acme-plain', revoke: null }),
  fullRecord(issuer, { id: 'acme-still', refresh: null }),
  fullRecord(issuer, { id: 'acme-never', refresh: { rotates: 'never' } }),
  fullRecord(issuer, { id: 'acme-grace', refresh: { rotates: 'always', graceSeconds: 60 } }),
];

/** The operator's file, and the settings that go with it. */
export const writeProviderFile = (records: unknown) => {
  const directory = makeTestDirectory('patchbay-providers-');
  const path = join(directory.path, 'providers.json');
  writeFileSync(path, typeof records === 'string' ? records : JSON.stringify(records));
  return { path, remove: directory.remove };
};

export const providerSettings = (path: string): Record<string, string> => {
  const clients = PROVIDER_IDS.map((id) => `OAUTH_${id.toUpperCase().replaceAll('-', '_')}_CLIENT`).flatMap((name) => [
    [`${name}_ID`, OPERATOR.id],
    [`${name}_SECRET`, OPERATOR.secret],
  ]);
  return { PATCHBAY_PROVIDERS: path, PATCHBAY_RATE_LIMIT: '1000000', ...Object.fromEntries(clients) };
};
