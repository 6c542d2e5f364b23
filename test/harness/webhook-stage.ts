import assert from 'node:assert/strict';
import type { FullRecord } from '../../src/integrations/catalogue/provider.ts';
import type { Engine } from '../../src/platform/index.ts';
import type { Person } from './app.ts';
import { expectConnected, startConnectStage } from './connect-flow.ts';
import { toAnswer } from './problem.ts';
import { waitUntil } from './wait-until.ts';
import type { SignedMessage } from './webhook-senders.ts';

/** The secrets with which the operator's webhooks are signed. */
export const WEBHOOK_SECRET = 'the-operators-secret';

type StageOptions = { providers?: readonly string[]; custom?: readonly FullRecord[]; env?: Record<string, string> };

/** The application, with providers that send webhooks to the operator's address and to teams' own. */
export const startWebhookStage = async (
  engine: Engine,
  { providers = ['github'], custom = [], env = {} }: StageOptions = {},
) => {
  const secrets = Object.fromEntries(
    providers.map((id) => [`OAUTH_${id.toUpperCase().replaceAll('-', '_')}_WEBHOOK_SECRET`, WEBHOOK_SECRET]),
  );
  const connectStage = await startConnectStage(engine, {
    providers: Object.fromEntries(providers.map((id) => [id, {}])),
    custom,
    env: { ...secrets, ...env },
    // Libraries that verify what we send look at the real clock.
    startAt: Date.now(),
  });
  const { stage, clock } = connectStage;
  const { server, app } = stage;

  const ask = async (
    person: { headers: Record<string, string> },
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    path: string,
    payload?: object,
  ) => {
    const url = `/api/integrations/${path}`;
    return toAnswer(await server.inject({ method, url, headers: person.headers, ...(payload && { payload }) }));
  };

  return {
    ...connectStage,
    app,
    server,
    ask,
    /** Connects an account of the provider. */
    async connect(person: Person, provider: string, account: string, connection = 'default') {
      const begun = await connectStage.begin(person, provider, { connection });
      const path = connectStage.consent(begun.authorizationUrl, { account });
      expectConnected(await connectStage.arrive(path, { cookie: begun.cookie }), provider);
      clock.advance(2_000);
    },
    /** Makes a team's own address, and adds a secret. */
    async openAddress(person: { headers: Record<string, string> }, provider: string, secret?: string) {
      const answer = await ask(person, 'PUT', `${provider}/webhook`, secret === undefined ? {} : { secret });
      assert.equal(answer.status, 200, answer.body);
      const shown = JSON.parse(answer.body) as { url: string; secrets: { id: string; usedAt: string | null }[] };
      return { ...shown, path: new URL(shown.url).pathname };
    },
    /** Sends a message as a provider does. */
    async send(path: string, { headers, body }: SignedMessage, address = '192.0.2.1') {
      const options = { method: 'POST' as const, url: path, headers, payload: body, remoteAddress: address };
      return toAnswer(await server.inject(options));
    },
    operatorPath: (provider: string): string => `/api/webhooks/integrations/${provider}`,
    operatorUrl: (provider: string): string => `http://localhost:3000/api/webhooks/integrations/${provider}`,
    /** Lists the team's events, also those that had to wait for the database on a busy machine. */
    async listEvents(person: { headers: Record<string, string> }, type = 'provider.event') {
      const { keeper, countJournaled } = app.integrations.webhooks;
      await waitUntil('nothing waits for the database', async () => {
        await keeper.ingest();
        return (await countJournaled()) === 0;
      });
      const answer = await server.inject({
        url: `/api/events?type=${encodeURIComponent(type)}&limit=100`,
        headers: person.headers,
      });
      assert.equal(answer.statusCode, 200, answer.body);
      return answer.json<{ events: { id: string; type: string; data: Record<string, unknown> }[] }>().events;
    },
  };
};

export type WebhookStage = Awaited<ReturnType<typeof startWebhookStage>>;
