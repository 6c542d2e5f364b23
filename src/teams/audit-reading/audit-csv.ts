import { toCsvLine, toIso } from '../../platform/index.ts';
import type { ListedEvent } from '../audit/audit-list-store.ts';

/** The first line of a file of audit entries, and the lines for some of them. */
export type AuditCsv = { head: string; toLines(events: readonly ListedEvent[]): string | Promise<string> };

/** Columns in a fixed order. New ones go last, because programs may rely on the order. */
const COLUMNS = [
  'id',
  'at',
  'actorKind',
  'actorId',
  'actorKey',
  'action',
  'target',
  'targetKey',
  'detail',
  'address',
  'requestId',
];

const toLine = (event: ListedEvent): string => {
  const { id, at, actor, actorId, actorKey, action, target, targetKey, detail, address, requestId } = event;
  return toCsvLine([id, toIso(at), actor, actorId, actorKey, action, target, targetKey, detail, address, requestId]);
};

/** The API's fields. `detail` is JSON. */
export const AUDIT_CSV: AuditCsv = {
  head: toCsvLine(COLUMNS),
  toLines: (events) => events.map(toLine).join(''),
};
