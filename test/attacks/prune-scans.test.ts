// Attack: tables that a team can fill. Whoever deletes what is old reads only that, not all that isn't.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { App } from '../../src/app.ts';
import { handlePruneEvents } from '../../src/events/log/prune-events.job.ts';
import { handlePruneAttempts } from '../../src/integrations/connect/prune-attempts.job.ts';
import { handlePruneSandbox } from '../../src/integrations/sandbox/prune-sandbox.job.ts';
import { handlePruneUsage } from '../../src/integrations/usage/prune-usage.job.ts';
import { handlePruneAlerts } from '../../src/notices/alerts/prune-alerts.job.ts';
import { handlePruneAudit } from '../../src/teams/audit/prune-audit.job.ts';
import { handlePruneCredentials } from '../../src/teams/tokens/prune-credentials.job.ts';
import { handlePruneTelephony } from '../../src/telephony/erasure/prune-telephony.job.ts';
import { onEachEngine } from '../harness/databases.ts';
import { findScans, rememberStatements } from '../harness/explain-statements.ts';
import { openTelephonyStage } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';

/** What is in these is all wanted, and a few rows are read from one end. */
const FROM_ONE_END = /deliveries_waiting|audio_to_remove/;
const YEARS_MS = 3 * 365 * 24 * 3_600_000;

onEachEngine('pruning', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  const pruneAll = async (app: App): Promise<void> => {
    await handlePruneAttempts(app as never)();
    await handlePruneUsage(app as never)();
    await handlePruneSandbox(app)();
    await handlePruneEvents(app as never);
    await handlePruneAlerts(app as never);
    await handlePruneAudit({ ...app, ...app.config })();
    await handlePruneCredentials(app)();
    await handlePruneTelephony({ ...app.telephony.context, database: app.database })(
      {},
      { signal: new AbortController().signal },
    );
  };

  test('finds everything through an index', async () => {
    const { app, clock } = stage;
    const { admin, team, line, account, number } = await stage.newTeam();
    await app.database.run('update teams set recording_days = 1 where id = $1', [team.id]);
    await line.rings('CA00000000000000000000000000000001');
    await app.telephony.settle();
    for (const path of [`numbers/${number.id}`, `accounts/${account.id}`])
      await stage.server.inject({ method: 'DELETE', url: `/api/telephony/${path}`, headers: admin.headers });
    clock.advance(YEARS_MS);
    const { database, statements } = rememberStatements(app.database);
    await pruneAll({ ...app, database });
    assert.ok(statements.length > 20);
    const scans: string[] = [];
    for (const statement of statements)
      for (const scan of await findScans(app.database, statement)) scans.push(`${scan}: ${statement.text}`);
    assert.deepEqual(
      scans.filter((scan) => !FROM_ONE_END.test(scan)),
      [],
    );
  });
});
