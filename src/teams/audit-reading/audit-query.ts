import { AFTER_IDS, firstIdAt } from '../../platform/index.ts';
import type { AuditSearch } from '../audit/audit-list-store.ts';
import { auditPeriodInvalid } from '../errors.ts';

/** Which entries of the audit log to list. */
export type AuditQuery = Pick<AuditSearch, 'who' | 'what'> & {
  /** The earliest time, included, and the latest, not included. */
  since?: number | undefined;
  until?: number | undefined;
};

/** Which page of them to list. */
export type AuditPageQuery = AuditQuery & { limit: number; cursor?: string | undefined };

/** Makes a search from a query. `after` is the last entry of the previous page. */
export const toAuditSearch = ({ who, what, since, until }: AuditQuery, after: string | null): AuditSearch => {
  if (since !== undefined && until !== undefined && since >= until) throw auditPeriodInvalid();
  const end = until === undefined ? AFTER_IDS : firstIdAt(until);
  return { who, what, from: firstIdAt(since ?? 0), before: after !== null && after < end ? after : end };
};
