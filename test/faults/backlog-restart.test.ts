// A process that was killed with much left to do must not look dead to a probe when it starts again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { createLog } from '../../src/platform/index.ts';
import { SECRETS } from '../harness/app.ts';
import { findFreePort } from '../harness/free-port.ts';
import { type Program, startProgram } from '../harness/serve-process.ts';
import { openServeStage } from '../harness/serve-stage.ts';
import { startStopwatch } from '../harness/start-stopwatch.ts';
import { storeUnprocessed } from '../harness/store-unprocessed.ts';
import { ADMIN, addPhoneAccount } from '../harness/telephony-serve.ts';
import { newCallSid, SERVICE_URL } from '../harness/telephony-stage.ts';
import { tellStory } from '../harness/telephony-stories.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** Each is a call of its own, with an event. */
const BACKLOG = 3_000;
const LONGEST_SILENCE_MS = 2_000;
/** The backlog makes way for everything else on the machine, and the suite keeps that busy. */
const PATIENCE_MS = 100_000;
const TIMEOUT_MS = PATIENCE_MS + 100_000;

/** When `/healthz` responded, from the start of the process until `isOver`. */
const watchHealth = async (program: Program, url: string, isOver: () => Promise<boolean>): Promise<number[]> => {
  const readMs = startStopwatch(program);
  const answers: number[] = [];
  const ask = async (): Promise<boolean> => {
    const answer = await fetch(`${url}/healthz`).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.status === 200) answers.push(readMs());
    return answers.length > 0 && isOver();
  };
  await waitUntil('it has answered, and all is done', ask, PATIENCE_MS, program);
  return answers;
};

const longestSilence = (answers: readonly number[]): number =>
  Math.max(...answers.slice(1).map((at, index) => at - (answers[index] ?? 0)));

const TITLE = 'a restart with a large backlog answers /healthz within two seconds and keeps answering';

test(TITLE, { timeout: TIMEOUT_MS }, async (context) => {
  const stage = openServeStage(context);
  const directory = stage.newDirectory();
  const environment = { ...SECRETS, PATCHBAY_DATA: directory, PATCHBAY_URL: SERVICE_URL };

  const serving = await stage.serve(environment);
  await serving.ready();
  const account = await addPhoneAccount(serving);
  const { team } = (await (await serving.fetch('/api/team', { headers: ADMIN })).json()) as { team: { id: string } };
  await serving.end();

  const start = async (isOver: () => Promise<boolean>): Promise<number[]> => {
    const port = await findFreePort();
    const program = startProgram({ ...environment, PORT: String(port) });
    try {
      return await watchHealth(program, `http://127.0.0.1:${port}`, isOver);
    } finally {
      await program.end();
    }
  };

  const [firstWithout = Number.NaN] = await start(async () => true);

  const app = buildApp(readConfig(environment), { log: createLog({ level: 'silent', secrets: [], shapes: [] }) });
  context.after(() => app.close());
  const [ringing] = tellStory('missed').chapters;
  assert.ok(ringing);
  const chapters = Array.from({ length: BACKLOG }, () => ({
    ...ringing,
    params: { ...ringing.params, CallSid: newCallSid() },
  }));
  await storeUnprocessed(app, { ...account, teamId: team.id }, chapters);
  await app.database.run('update deliveries set received_at = received_at - 60000');

  const countLeft = async (): Promise<number> =>
    Number((await app.database.get<{ n: number }>("select count(*) as n from deliveries where state = 'received'"))?.n);
  const answers = await start(async () => (await countLeft()) === 0);
  const silence = longestSilence(answers);
  context.diagnostic(
    `first answer after ${Math.round(answers[0] ?? Number.NaN)} ms (without a backlog ${Math.round(firstWithout)} ms), longest silence ${Math.round(silence)} ms`,
  );
  assert.ok((answers[0] ?? Number.POSITIVE_INFINITY) < firstWithout + LONGEST_SILENCE_MS);
  assert.ok(silence < LONGEST_SILENCE_MS, `It was silent for ${Math.round(silence)} ms.`);
});
