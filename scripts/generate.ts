// Generates the catalog, `openapi.json`, the client, `/connect.js`, the logos, and pages of the docs from the code.
// With `--check`, only reports what is stale.
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/config/config.ts';
import { settings } from '../src/config/settings.ts';
import { extendKeyRing } from '../src/vault/index.ts';
import { buildClient } from './build-client.ts';
import { bundleConnect } from './bundle-connect.ts';
import { renderCatalogue } from './render-catalogue.ts';
import { renderCataloguePage } from './render-catalogue-page.ts';
import { renderLogos } from './render-logos.ts';
import { type OpenApi, renderOperations } from './render-operations.ts';

const readOpenApi = async (): Promise<OpenApi> => {
  const data = mkdtempSync(join(tmpdir(), 'patchbay-generate-'));
  const app = buildApp(
    readConfig({ PATCHBAY_DATA: data, PATCHBAY_KEYS: extendKeyRing(undefined), LOG_LEVEL: 'silent' }),
  );
  const server = await app.createServer();
  const document = (await server.inject('/openapi.json')).json();
  await server.close();
  await app.close();
  rmSync(data, { recursive: true });
  return document;
};

const renderSettings = (): string => {
  const rows = Object.values(settings).map(({ name, about, expected, fallback, secret }) => {
    const value = fallback === null ? '' : `\`${fallback}\``;
    return `| \`${name}\` | ${about} | ${secret ? 'secret; ' : ''}${expected} | ${value} |`;
  });
  return `# Settings

Patchbay reads its settings once, at startup, from the environment and from \`.env\` in the working directory. The environment wins. An empty
value counts as unset. If a value is invalid, Patchbay doesn't start. It prints one line that names the setting, and exits with code 2.
In \`.env\`, a \`#\` begins a comment, so a value that contains one needs quotes.

This page is generated from \`src/config/settings.ts\` by \`npm run generate\`.

| setting | what it is | expected | default |
| --- | --- | --- | --- |
${rows.join('\n')}

Each provider's OAuth app takes two more settings, \`OAUTH_<PROVIDER>_CLIENT_ID\` and \`OAUTH_<PROVIDER>_CLIENT_SECRET\`. Write the
provider's ID in capital letters, with \`_\` for \`-\` (\`OAUTH_GOOGLE_CLIENT_ID\`). \`GET /api/integrations/providers\` lists them. An app
that signs with a private key instead of a secret takes \`OAUTH_<PROVIDER>_PRIVATE_KEY\` (as PEM or JWK, with line breaks or \`\\n\`) and perhaps \`OAUTH_<PROVIDER>_KEY_ID\`
([providers.md](providers.md#oauth-apps-with-a-private-key)). A few providers want more, such as
\`OAUTH_BLACKBAUD_SUBSCRIPTION_KEY\` ([providers.md](providers.md#oauth-apps-with-more-than-a-secret)). To change
which scopes are requested, set \`OAUTH_<PROVIDER>_SCOPES\`, separated by spaces ([providers.md](providers.md#which-scopes-are-requested)).
\`OAUTH_<PROVIDER>_WEBHOOK_SECRET\` verifies the provider's webhooks, which become events. It takes a comma-separated list, so you can rotate it
([providers.md](providers.md#receiving-a-providers-webhooks)).
`;
};

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

const checkOnly = process.argv.includes('--check');

const put = (file: string, content: string): void => {
  if (read(file) === content) return;
  if (checkOnly) {
    process.stderr.write(`${file} is stale: run "npm run generate".\n`);
    process.exitCode = 1;
  } else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    process.stdout.write(`Wrote ${file}.\n`);
  }
};

const removeOthers = (folder: string, wanted: ReadonlyMap<string, string>): void => {
  for (const file of globSync(`${folder}/*`).filter((path) => !wanted.has(basename(path)))) {
    if (checkOnly) {
      process.stderr.write(`${file} is left over: run "npm run generate".\n`);
      process.exitCode = 1;
    } else rmSync(file);
  }
};

// Write the catalog first, because the app reads it when it's built.
put('src/integrations/catalogue/catalogue.json', renderCatalogue());
const document = await readOpenApi();
put('openapi.json', `${JSON.stringify(document, null, 2)}\n`);
put('packages/client/src/operations.ts', renderOperations(document));
const client = buildClient();
for (const [name, content] of client) put(`packages/client/dist/${name}`, content);
removeOthers('packages/client/dist', client);
put('src/integrations/hosted/connect.js', bundleConnect());
put('src/dashboard/integrations/logos/logos.json', renderLogos());
put('docs/settings.md', renderSettings());
put('docs/catalogue.md', renderCataloguePage());
