import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import { insertConnection } from '../../src/integrations/connections/connection-store.ts';
import { createTeam } from '../../src/teams/team/create-team.ts';
import type { Tools } from '../benchmark.ts';
import { makeConnection } from '../integrations/make-connection.ts';
import { addOwner, type Owner } from '../reports/add-owner.ts';
import { SEALABLE, type SealableCall, sealNumbers } from '../reports/seal-numbers.ts';
import { makeSettings, openBeside, type Settings } from '../service/place.ts';
import { changeTeam, type ServiceLine, setUpLine } from '../service/set-up-line.ts';
import { type Service, startService } from '../service/start-service.ts';
import { openConnection } from '../telephony/connection.ts';
import { signCall } from '../telephony/signed-calls.ts';
import { fillLargeStore, idsOf, SPANS } from './fill-large-store.ts';
import { ERASED_NUMBER, PAYLOAD_DAYS, RECORDING_DAYS, SIZE } from './size.ts';
import { PROVIDER, startTokenServer } from './token-server.ts';

const AT_ONCE = 500;
const LOOK_EVERY_MS = 50;

const inParts = async (total: number, add: (from: number, to: number) => Promise<void>): Promise<void> => {
  for (let from = 0; from < total; from += AT_ONCE) await add(from, Math.min(total, from + AT_ONCE));
};

/** Finds the hash of the number to erase, by sending a real call from that number. */
const learnHash = async ({ database }: App, line: ServiceLine): Promise<string> => {
  const connection = await openConnection(line.url);
  await connection.exchange(signCall(line, { from: ERASED_NUMBER }));
  connection.close();
  for (;;) {
    const call = await database.get<{ hash: string | null }>(
      'select from_hash as hash from calls where from_hash is not null',
    );
    if (call?.hash) return call.hash;
    await sleep(LOOK_EVERY_MS);
  }
};

/** Adds teams. Returns those that have calls, which come first. */
const addTeams = async (app: App): Promise<Owner[]> => {
  const owners: Owner[] = [];
  await inParts(SIZE.teams, (from, to) =>
    app.database.transaction(async (tx) => {
      for (let number = from; number < to; number++) {
        if (number < SIZE.teamsWithCalls - 1) owners.push(await addOwner(app, tx, number, 1));
        else await createTeam(app, tx, `team ${number}`);
      }
    }),
  );
  return owners;
};

/** Adds one connection to each of `SIZE.connections` teams, sealed with the team's own key. */
const addConnections = async (app: App): Promise<void> => {
  const user = await app.database.get<{ id: string }>('select id from users limit 1');
  const teams = await app.database.all<{ id: string }>('select id from teams order by id limit $1', [SIZE.connections]);
  await inParts(teams.length, async (from, to) => {
    const made = await Promise.all(
      teams.slice(from, to).map(({ id }) => makeConnection(app, { teamId: id, userId: user?.id ?? '' }, PROVIDER)),
    );
    await app.database.transaction(async (tx) => {
      for (const connection of made) await insertConnection(tx, connection);
    });
  });
};

/** Sets up a line and the retention through the running service, and finds the hash of the number to erase. */
const setUp = async (service: Service, settings: Settings, cleanUp: AsyncDisposableStack) => {
  const line = await setUpLine(service);
  await changeTeam(service, { retention: { recordingDays: RECORDING_DAYS, payloadDays: PAYLOAD_DAYS } });
  const app = openBeside(settings, cleanUp);
  const hash = await learnHash(app, line);
  return { app, line, hash };
};

export type LargeService = { settings: Settings; line: ServiceLine };

/** Makes the data of a service with a long history. The service isn't running. */
export const makeLargeService = async ({ cleanUp, note }: Tools, databaseUrl: string | null): Promise<LargeService> => {
  const begun = performance.now();
  const settings = await makeSettings(databaseUrl, cleanUp, await startTokenServer(cleanUp));
  const service = await startService(settings, cleanUp);
  await using beside = new AsyncDisposableStack();
  const { app, line, hash } = await setUp(service, settings, beside);
  await service.kill();
  const owners = [{ teamId: line.teamId, accountId: line.account }, ...(await addTeams(app))];
  await beside.disposeAsync();
  await fillLargeStore(settings, owners, hash);
  await using later = new AsyncDisposableStack();
  const filled = openBeside(settings, later);
  const opened = await filled.database.all<SealableCall>(
    `select ${SEALABLE} from calls where id >= $1 and id < $2`,
    idsOf(SPANS.opened),
  );
  await sealNumbers(filled, line.teamId, opened);
  await addConnections(filled);
  const seconds = Math.round((performance.now() - begun) / 1_000);
  note(
    `${SIZE.calls.toLocaleString('en')} calls of ${SIZE.teamsWithCalls} of ${SIZE.teams} teams, made in ${seconds} s`,
  );
  return { settings, line };
};
