import type { App } from '../../src/app.ts';
import type { Connection } from '../../src/integrations/connections/connection.ts';
import { insertConnection } from '../../src/integrations/connections/connection-store.ts';
import { sealTokens } from '../../src/integrations/connections/connection-tokens.ts';
import { type InsertTarget, randomSecret, Secret, type Value } from '../../src/platform/index.ts';
import { COMMAND_LINE, holderOf } from '../../src/teams/index.ts';
import { addUser } from '../../src/teams/records/add-user.ts';
import { createTeam } from '../../src/teams/team/create-team.ts';
import { makeConnection } from '../integrations/make-connection.ts';

export const PROVIDERS = ['acme', 'brick', 'cloud', 'depot'] as const;
export const BYSTANDER = 'bystander';
export const keyOf = (team: number): string => `team-${team}`;

const DAY_MS = 24 * 3_600_000;
const AT_ONCE = 4;

const addTeam = (app: App, key: string) =>
  app.database.transaction(async (tx) => {
    const team = await createTeam(app, tx, key, { key });
    if (!team) throw new Error('There is a team with this key.');
    return holderOf(await addUser(app, tx, team.id, { email: `admin@${key}.example`, name: null, role: 'admin' }));
  });

/** `containedBy` isn't stored with the connection. */
const fieldsOf = ({ containedBy: _, ...stored }: Connection) => Object.entries(stored);

const isNumber = (field: string): boolean => /(?:At|Until|Before|Since|Number|failures|generation)$/.test(field);

const targetOf = (model: Connection): InsertTarget => ({
  ...{ table: 'connections', id: 'id', onConflict: 'fail' },
  columns: Object.fromEntries(
    fieldsOf(model).map(([field]) => [
      field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      isNumber(field) ? 'bigint' : 'text',
    ]),
  ),
});

const toRow = (connection: Connection): Value[] =>
  fieldsOf(connection).map(([, value]) =>
    typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
  );

/** Adds a team with connections of a day ago, each to an account of its own, with tokens that can be opened. */
const fillTeam = async (app: App, key: string, connections: number): Promise<void> => {
  const admin = await addTeam(app, key);
  const model = await makeConnection(app, admin, 'acme');
  const rows: Value[][] = [];
  for (let index = 0; index < connections; index++) {
    const provider = PROVIDERS[index % PROVIDERS.length] ?? 'acme';
    const place = { teamId: admin.teamId, provider, name: `c${index}` };
    const tokens = { accessToken: new Secret(randomSecret()), refreshToken: new Secret(randomSecret()) };
    const sealed = await sealTokens(app.vault, place, tokens);
    const [id, accountId] = [app.newId(), app.newId()];
    const of = { id, accountId, clientId: `client-of-${provider}`, connectedAt: model.connectedAt - DAY_MS };
    rows.push(toRow({ ...model, ...place, ...sealed, ...of }));
  }
  const outcomes = await app.database.insertRows(targetOf(model), rows);
  if (outcomes.some((outcome) => outcome !== 'inserted')) throw new Error('A connection was refused.');
};

/** Adds teams with connections. */
export const fillTeams = async (app: App, teams: number, connections: number): Promise<void> => {
  let next = 0;
  const fill = async (): Promise<void> => {
    while (next < teams) await fillTeam(app, keyOf(next++), Math.ceil(connections / teams));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, fill));
  if (app.database.engine === 'postgresql') await app.database.transaction((tx) => tx.script('analyze'));
};

/** Adds a team that has connected just now. Returns its access token. */
export const addBystander = async (app: App): Promise<string> => {
  const admin = await addTeam(app, BYSTANDER);
  await insertConnection(app.database, await makeConnection(app, admin, 'acme'));
  return (await app.teams.tokens.create(admin, COMMAND_LINE, { name: 'bystander' })).token;
};
