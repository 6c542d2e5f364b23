import type { Transaction } from '../../platform/index.ts';
import { lockTeam } from '../../teams/index.ts';
import type { EventsContext } from '../context.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { isWanted } from './alert.ts';
import { findEndpointResolution, listEndpointAlerts, openWithText, resolveAlert } from './alert-store.ts';
import { getSettings, lockAlerts, putDue } from './alert-team-store.ts';
import { findTellAt } from './held-alerts.ts';

const AT_ONCE = 500;

/** Opens an alert in the transaction that turns an endpoint off. */
export const openEndpointAlert = async (
  { clock, newId }: Pick<EventsContext, 'clock' | 'newId'>,
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
 * Resolves alerts about endpoints that somebody has turned on again or deleted. Checks a few alerts per call, and
 * returns where the next call continues.
 */
export const resolveEndpointAlerts = async ({ database, clock }: EventsContext, after: string): Promise<string> => {
  const alerts = await listEndpointAlerts(database, after, AT_ONCE);
  for (const { teamId, subject } of alerts.filter(({ hasEnded }) => hasEnded === 1))
    await database.transaction(async (tx) => {
      if (!(await lockTeam(tx, teamId))) return;
      const now = clock.now();
      await lockAlerts(tx, teamId);
      // Check again under the lock. If the endpoint has been turned off again since, its alert stays open.
      const as = await findEndpointResolution(tx, teamId, subject);
      if (!as) return;
      const resolved = await resolveAlert(tx, { teamId, kind: 'endpoint', subject }, { as, at: now });
      if (resolved > 0) await putDue(tx, teamId, now);
    });
  return alerts.length < AT_ONCE ? '' : (alerts.at(-1)?.subject ?? '');
};
