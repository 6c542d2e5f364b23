// What people write without Patchbay: Express, the vendor's own middleware, and one insert for each request.
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import express from 'express';
import pg from 'pg';
import VoiceResponse from 'twilio/lib/twiml/VoiceResponse.js';
import { webhook } from 'twilio/lib/webhooks/webhooks.js';
import { reportToParent } from '../child-server.ts';
import { ACCOUNT_ID, AUTH_TOKEN, PUBLIC_URL } from './set-up.ts';

const { directory, databaseUrl } = JSON.parse(process.argv[2] ?? '') as {
  directory: string;
  databaseUrl: string | null;
};

const CREATE = 'create table calls (call_sid text primary key, payload text not null, received_at bigint not null)';

type Store = { insert(callSid: string, payload: string): Promise<unknown>; count(): Promise<number> };

const openSqlite = (): Store => {
  const database = new DatabaseSync(join(directory, 'express.db'));
  database.exec(`pragma journal_mode = wal; pragma synchronous = full; ${CREATE}`);
  const insert = database.prepare('insert into calls values (?, ?, ?)');
  return {
    insert: async (callSid, payload) => insert.run(callSid, payload, Date.now()),
    count: async () => Number(database.prepare('select count(*) as n from calls').get()?.['n']),
  };
};

const openPostgresql = async (url: string): Promise<Store> => {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  await pool.query(`drop table if exists express_calls; ${CREATE.replace('calls', 'express_calls')}`);
  return {
    insert: (callSid, payload) =>
      pool.query({
        name: 'insert',
        text: 'insert into express_calls values ($1, $2, $3)',
        values: [callSid, payload, Date.now()],
      }),
    count: async () => Number((await pool.query('select count(*) as n from express_calls')).rows[0].n),
  };
};

const store = databaseUrl === null ? openSqlite() : await openPostgresql(databaseUrl);
const app = express();
app.disable('x-powered-by');
app.post(
  '/voice',
  express.urlencoded({ extended: false }),
  webhook(AUTH_TOKEN, { host: new URL(PUBLIC_URL).host, protocol: 'http' }),
  async (request, response) => {
    await store.insert(request.body.CallSid, JSON.stringify(request.body));
    const answer = new VoiceResponse();
    answer.say('Thank you for calling.');
    answer.dial({ timeout: 20, action: `${PUBLIC_URL}/voice?step=dialed` }).number('+15551230077');
    response.type('text/xml').send(answer.toString());
  },
);
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  reportToParent(
    {
      url: `http://127.0.0.1:${port}/voice`,
      headers: {},
      accountId: ACCOUNT_ID,
      authToken: AUTH_TOKEN,
      publicUrl: PUBLIC_URL,
    },
    { stored: store.count },
  );
});
