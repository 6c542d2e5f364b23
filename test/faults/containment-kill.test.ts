import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECRETS } from '../harness/app.ts';
import { OPERATOR } from '../harness/customers.ts';
import { onEachEngine } from '../harness/databases.ts';
import { openKillStage } from '../harness/kill-stage.ts';
import { type OauthServer, startOauthServer } from '../harness/oauth-server.ts';
import { fullRecord, providerSettings, writeProviderFile } from '../harness/provider-file.ts';
import { askOver, createTeamMember } from '../harness/team-member.ts';
import { waitUntil } from '../harness/wait-until.ts';

const ADMIN = { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` };
const CONTAINMENTS = '/api/operator/containments';
/** The IDs that each server knows. Each provider is a server of its own. */
const IDS = ['acme-full', 'acme-never', 'acme-grace'] as const;
const CONNECTIONS = 6;
const WITHIN_MS = 120_000;

type Ledger = {
  id: string;
  state: string;
  connections: { provider: string; connection: string; account: { id: string }; state: string }[];
};

onEachEngine('containing connections with three providers', (engine) => {
  test('holds in all processes, and survives kill -9 and a provider that is away', async (context) => {
    const { environments, serve, open } = await openKillStage(context, engine);
    const servers = await Promise.all(
      IDS.map(async (id): Promise<[string, OauthServer]> => {
        const server = await startOauthServer();
        context.after(() => server.stop());
        return [id, server];
      }),
    );
    const [, , [, away] = assert.fail('There are three.')] = servers;
    const records = servers.map(([id, { issuer }]) =>
      fullRecord(issuer, { id, api: { url: issuer }, ...(id === 'acme-never' && { refresh: { rotates: 'never' } }) }),
    );
    // The other IDs of the server, so that all its settings have a provider.
    const others = ['acme', 'acme-plain'].map((id) => fullRecord(away.issuer, { id }));
    const file = writeProviderFile([...records, ...others]);
    context.after(file.remove);
    const start = () =>
      Promise.all(
        environments.map(async (env) => {
          const serving = await serve({ ...env, ...providerSettings(file.path) });
          await serving.ready();
          return { serving, ask: askOver(serving.url) };
        }),
      );
    let processes = await start();
    const [first] = processes;
    assert.ok(first);

    /** What each connection was given, by the name of its account. */
    const issued = new Map<string, { server: OauthServer; tokens: string[] }>();
    for (const [provider, server] of servers) {
      const member = createTeamMember(first.ask, ADMIN, server);
      for (let index = 1; index <= CONNECTIONS; index++) {
        const account = `${provider}-${index}`;
        await member.connect(provider, account, { connection: `c${index}` });
        const { accessToken = '', refreshToken = '' } = server.issued.at(-1) ?? {};
        issued.set(account, { server, tokens: [accessToken, refreshToken] });
      }
    }

    await away.close();
    const asked = { reason: 'An operator’s laptop was stolen.', connectedBefore: '2100-01-01T00:00:00Z', revoke: true };
    const begun = await first.ask('POST', CONTAINMENTS, OPERATOR, asked);
    assert.equal(begun.status, 201, begun.body);
    const { id } = JSON.parse(begun.body) as Ledger;

    /** Whether a process still uses a connection, through the proxy or by a hand-out. */
    const isUsed = async ({ ask }: { ask: ReturnType<typeof askOver> }): Promise<boolean> => {
      const answers = await Promise.all([
        ask('GET', '/api/integrations/acme-full/proxy/me?connection=c1', ADMIN),
        ask('POST', '/api/integrations/acme-never/token?connection=c1', ADMIN),
      ]);
      return answers.some(({ body }) => JSON.parse(body).code !== 'integrations.contained');
    };
    for (const process of processes)
      await waitUntil('it is used no more', async () => !(await isUsed(process)), 1_000, process.serving);

    await waitUntil(
      'the revocation is under way',
      () => servers.some(([, server]) => server.count('revoke') > 0),
      WITHIN_MS,
    );
    for (const { serving } of processes) serving.kill('SIGKILL');
    for (const { serving } of processes) await serving.ended();
    await away.open();
    processes = await start();
    const [{ ask } = assert.fail('There is one.')] = processes;
    for (const process of processes) assert.equal(await isUsed(process), false, 'It holds after a restart.');

    const database = open();
    const read = async (): Promise<Ledger> =>
      JSON.parse((await ask('GET', `${CONTAINMENTS}/${id}?limit=100`, OPERATOR)).body);
    await waitUntil(
      'everything is revoked',
      async () => {
        // As if the pause before the next try was over.
        await database.run(`update jobs set run_at = 0 where name = 'revoke-grant' and state = 'queued'`);
        return (await read()).state === 'finished';
      },
      WITHIN_MS,
    );
    const { connections } = await read();
    assert.equal(connections.length, IDS.length * CONNECTIONS);
    for (const { account, state } of connections) {
      const { server, tokens } = issued.get(account.id) ?? assert.fail(account.id);
      const active = await Promise.all(tokens.map((token) => server.isActive(token)));
      assert.deepEqual([account.id, active], [account.id, [false, false]], state);
      assert.ok(state === 'revoked' || state === 'already_gone', `${account.id} is ${state}.`);
    }
  });
});
