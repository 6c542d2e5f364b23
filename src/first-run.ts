import type { App } from './app.ts';
import { quoteForShell, type Secret } from './platform/index.ts';
import { ensureFirstTeam, welcomeFirstAdmin } from './teams/index.ts';

const curl = (header: string, address: string, options = ''): string => `curl ${options}-H ${header} '${address}'`;

const bearer = (secret: string): string => `'Authorization: Bearer ${secret}'`;

/** Prints a secret only if Patchbay generated it. For a secret that someone has set, prints the setting's name. */
const bearerOf = ({ config }: App, name: string, secret: Secret | null | undefined): string =>
  config.generatedNames.includes(name) && secret ? bearer(secret.reveal()) : `"Authorization: Bearer $${name}"`;

const whereKeysAre = ({ config }: App): string =>
  config.keysKept
    ? `Your keys are in ${config.data}/secrets.json. Back that file up: without it, encrypted data can't be recovered.`
    : "Keep PATCHBAY_KEYS safe: without it, encrypted data can't be recovered.";

/**
 * Commands to try first. Includes connecting only if the sandbox is on, because other integrations may need setup
 * first.
 */
const tries = (app: App, token: string): string => {
  const { url, sandbox, debugToken, cronSecrets, operatorTokens } = app.config;
  const lines = [
    ["List your team's integrations", curl(bearer(token), `${url}/api/integrations/status`)],
    ...(sandbox
      ? [
          [
            'Connect the sandbox, then open the connectUrl of the response in a browser',
            curl(bearer(token), `${url}/api/integrations/sandbox/connect`, '-X POST '),
          ],
        ]
      : []),
    [
      "Create last week's report (none before the team's first week is over)",
      curl(bearerOf(app, 'CRON_SECRET', cronSecrets[0]), `${url}/api/cron/weekly-report`),
    ],
    ['Look at the database', curl(bearerOf(app, 'DEBUG_TOKEN', debugToken), `${url}/api/debug/db`)],
    [
      "List your customers' teams",
      curl(bearerOf(app, 'PATCHBAY_OPERATOR_TOKEN', operatorTokens[0]), `${url}/api/operator/teams`),
    ],
  ];
  return lines.map(([label, command]) => `    ${label}:\n      ${command}`).join('\n');
};

const welcome = (app: App, { email, link, token }: { email: string; link: string; token: string }): string => {
  return `
Patchbay is ready at ${app.config.url}

  Sign in as ${email} (this link works once and expires in a day):
    ${link}

  Your access token (shown only once):
    ${token}

  Try it out:
${tries(app, token)}

  To simulate phone calls, run this in another terminal:
    npm run patchbay -- simulate calls

  Browse the API at ${app.config.url}/docs. ${whereKeysAre(app)}

`;
};

/** Creates the first team in an empty database. In production, returns a line that says how to sign in. */
export const ensureFirstRun = async (app: App): Promise<string | null> => {
  const first = await ensureFirstTeam(app, app.config.adminEmail);
  return first && app.config.production
    ? `Created the first team. To get a sign-in link, run the command "user link ${quoteForShell(first.admin.email ?? '')}" with the same settings as the service.\n`
    : null;
};

/**
 * Creates the welcome, with a sign-in link and a token that are shown only once. Called when the service is listening,
 * so that a failed start doesn't use up the link. Null in production, or if somebody has already signed in.
 */
export const makeWelcome = async (app: App): Promise<string | null> => {
  const welcomed = app.config.production ? null : await welcomeFirstAdmin(app);
  return welcomed && welcome(app, welcomed);
};
