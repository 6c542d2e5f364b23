import type { Transaction } from '../../platform/index.ts';
import { lockTeam } from '../../teams/index.ts';
import type { EventsContext } from '../context.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { isWanted } from './alert.ts';
import { findEndpointResolution, listEndpointAlerts, openWithText, resolveAlert } from './alert-store.ts';
import { getSettings, lockAlerts, putDue } from './alert-team-store.ts';
import { findTellAt } from './held-alerts.ts';

const AT_ONCE = 500;

/** In the transaction that turns the endpoint off by itself. */
export const openEndpointAlert = async (
  { clock, newId }: EventsContext,
  tx: Transaction,
  { id: subject, teamId, url }: Endpoint,
  reason: 'gone' | 'failing',
): Promise<void> => {
  const now = clock.now();
  await lockAlerts(tx, teamId);
  if (!isWanted(await getSettings(tx, teamId), 'endpoint')) return;
  const cause = { teamId, kind: 'endpoint', subject } as const;
  const tellAt = await findTellAt(tx, cause, now);
  const opened = await openWithText(tx, { ...cause, id: newId(), openedAt: now, tellAt, text: url, reason });
  if (opened > 0 && tellAt === null) await putDue(tx, teamId, now);
};

/**
 * Resolves the alerts about endpoints that somebody has turned on again or deleted. A few with each look, because most stay
 * open. Returns where the next one continues.
 */
export const resolveEndpointAlerts = async ({ database, clock }: EventsContext, after: string): Promise<string> => {
  const alerts = await listEndpointAlerts(database, after, AT_ONCE);
  for (const { teamId, subject } of alerts.filter(({ hasEnded }) => hasEnded === 1))
    await database.transaction(async (tx) => {
      if (!(await lockTeam(tx, teamId))) return;
      const now = clock.now();
      await lockAlerts(tx, teamId);
      // It may have been turned off again since they were listed, and that opened no other alert.
      const as = await findEndpointResolution(tx, teamId, subject);
      if (!as) return;
      const resolved = await resolveAlert(tx, { teamId, kind: 'endpoint', subject }, { as, at: now });
      if (resolved > 0) await putDue(tx, teamId, now);
    });
  return alerts.length < AT_ONCE ? '' : (alerts.at(-1)?.subject ?? '');
};
