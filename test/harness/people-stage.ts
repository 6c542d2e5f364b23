import assert from 'node:assert/strict';
import { readEntries } from '../../src/integrations/catalogue/catalogue.ts';
import type { Engine } from '../../src/platform/index.ts';
import { type Crm, startCrm } from './crm-server.ts';
import { writeProviderFile } from './provider-file.ts';
import { openTelephonyStage } from './telephony-stage.ts';

/** The providers of the stage: the rules of real entries, at the CRM on loopback, and connected with a key. */
export const HUB = 'hub-like';
export const PIPE = 'pipe-like';

const rulesOf = (id: string) => {
  const { people, log } = readEntries().find(({ record }) => record.id === id)?.record ?? assert.fail(id);
  return { people, log };
};

const keyed = (url: string) => ({
  kind: 'api_key',
  docs: 'https://crm.example/docs',
  domains: ['127.0.0.1'],
  fields: { api_key: { label: 'Key', about: 'In the settings.' } },
  defaults: { api_domain: url },
});

export const crmRecords = (url: string) => [
  {
    ...keyed(url),
    ...{ id: HUB, name: 'Hub', identity: { id: 'portalId', label: 'portalId' } },
    api: { url: `${url}/hub`, verify: { method: 'GET', path: '/account-info/v3/details' } },
    ...rulesOf('hubspot'),
  },
  {
    ...keyed(url),
    ...{ id: PIPE, name: 'Pipe', identity: { id: 'data.id', label: 'data.email' } },
    api: {
      url: `${url}/pipe/api/v1`,
      hosts: { v2: `${url}/pipe/api/v2` },
      verify: { method: 'GET', path: '/users/me' },
    },
    ...rulesOf('pipedrive'),
  },
];

/** The whole service with phone lines, and CRMs beside it. */
export const openPeopleStage = async (engine: Engine, env: Record<string, string> = {}) => {
  const crm: Crm = await startCrm();
  const file = writeProviderFile(crmRecords(crm.url));
  const stage = await openTelephonyStage(engine, { env: { PATCHBAY_PROVIDERS: file.path, ...env } });
  const { server, app } = stage;

  const send = async (
    method: 'GET' | 'PUT' | 'PATCH' | 'POST' | 'DELETE',
    url: string,
    headers: object,
    body?: object,
  ) => {
    const answered = await server.inject({
      ...{ method, url },
      headers: headers as Record<string, string>,
      ...(body ? { payload: body } : {}),
    });
    return { status: answered.statusCode, body: answered.body, read: () => answered.json() };
  };

  return {
    ...stage,
    crm,
    send,
    /** A team with a phone line, connected to a CRM. */
    async connected(provider = HUB, wish: { lookup?: boolean; log?: boolean } = {}) {
      const team = await stage.newTeam();
      const { headers } = team.admin;
      const connect = () => send('PUT', `/api/integrations/${provider}/key`, headers, { fields: { api_key: 'key' } });
      assert.equal((await connect()).status, 200);
      const path = `/api/integrations/${provider}/people`;
      const choose = (wanted: object) => send('PATCH', path, headers, wanted);
      if (Object.keys(wish).length > 0) assert.equal((await choose(wish)).status, 200);
      const [row] = await app.database.all<{ id: string }>('select id from connections where team_id = $1', [
        team.team.id,
      ]);
      return {
        ...team,
        connect,
        choose,
        which: { teamId: team.team.id, connectionId: row?.id ?? '' },
        people: async () => (await send('GET', path, team.member.headers)).read(),
      };
    },
    async close(): Promise<void> {
      await stage.close();
      await crm.stop();
      file.remove();
    },
  };
};

export type PeopleStage = Awaited<ReturnType<typeof openPeopleStage>>;
