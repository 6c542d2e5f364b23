import type { Queries, Transaction } from '../../platform/index.ts';
import type { Alert, AlertKind } from './alert.ts';
import { SELECTED } from './alert-store.ts';

type ToldAlerts = { opened: AlertKind[]; resolved: AlertKind[] };

/** Assigns all new alerts and resolutions to a notice. Returns the kind of each alert in it. */
export const putInNotice = async (tx: Transaction, teamId: string, noticeId: string): Promise<ToldAlerts> => {
  const opened = await tx.all<{ kind: AlertKind }>(
    `update event_alerts set told_in = $2
      where team_id = $1 and told_in is null and resolved_at is null and dismissed_at is null and tell_at is null
      returning kind`,
    [teamId, noticeId],
  );
  const resolved = await tx.all<{ kind: AlertKind }>(
    `update event_alerts set resolution_told_in = $2
      where team_id = $1 and resolution_told_in is null and resolved_at is not null returning kind`,
    [teamId, noticeId],
  );
  return { opened: opened.map(({ kind }) => kind), resolved: resolved.map(({ kind }) => kind) };
};

const inKinds = (kinds: readonly AlertKind[], first: number): string =>
  `kind in (${kinds.map((_, index) => `$${index + first}`).join(', ')})`;

type NoticePart = { alerts: Alert[]; total: number };

const listPart = async (
  queries: Queries,
  where: string,
  [teamId, noticeId, kinds]: [string, string, readonly AlertKind[]],
  limit: number,
): Promise<NoticePart> => {
  if (kinds.length === 0) return { alerts: [], total: 0 };
  const clause = `team_id = $1 and ${where} and ${inKinds(kinds, 3)}`;
  const values = [teamId, noticeId, ...kinds];
  const alerts = await queries.all<Alert>(
    `select ${SELECTED} from event_alerts where ${clause} order by opened_at, id limit ${limit}`,
    values,
  );
  const row = await queries.get<{ n: number }>(`select count(*) as n from event_alerts where ${clause}`, values);
  return { alerts, total: Number(row?.n ?? 0) };
};

/** The alerts in a notice that are still current: the first few opened and the first few resolved ones. */
export const listInNotice = async (
  queries: Queries,
  { teamId, noticeId }: { teamId: string; noticeId: string },
  kinds: readonly AlertKind[],
  limit: number,
) => {
  const list = (where: string) => listPart(queries, where, [teamId, noticeId, kinds], limit);
  return {
    opened: await list('told_in = $2 and resolved_at is null and dismissed_at is null'),
    resolved: await list('resolution_told_in = $2 and resolved_at is not null'),
  };
};
