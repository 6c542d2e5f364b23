import type { App } from './app.ts';
import {
  COMMAND_LINE,
  createAccessToken,
  ensureFirstTeam,
  holderOf,
  LINK_LIFETIME_MS,
  makeSignInLink,
} from './teams/index.ts';

const curl = (secret: string, address: string): string => `curl -H 'Authorization: Bearer ${secret}' '${address}'`;

const welcome = (app: App, email: string, link: string, token: string): string => {
  const { url, debugToken } = app.config;
  return `
Patchbay is ready at ${url}

  Sign in as ${email} (this link works once, within a day):
    ${link}

  An access token of the same admin, shown only now:
    ${token}

  Try:
    ${curl(token, `${url}/api/team`)}
    ${curl(debugToken?.reveal() ?? '', `${url}/api/debug/db`)}

  Browse the API at ${url}/docs. Keys and secrets are kept in ${app.config.data}/secrets.json: back it up with the database.

`;
};

/**
 * An empty database gets its first team. Answers what to print: outside production the whole welcome, with a link and a
 * token that are shown only this once; in production nothing is made, and the line says how to get in.
 */
export const prepareFirstRun = async (app: App): Promise<string | null> => {
  const first = await ensureFirstTeam(app, app.config.adminEmail);
  if (!first) return null;
  const email = first.admin.email ?? '';
  if (app.config.production)
    return `The first team was made. Sign in with a link from: npm run patchbay -- user link ${email}\n`;
  const holder = holderOf(first.admin);
  const link = await makeSignInLink(app, app.database, holder, LINK_LIFETIME_MS.asked);
  const { token } = await createAccessToken(app, holder, COMMAND_LINE, { name: 'first start' });
  return welcome(app, email, link.address, token);
};
