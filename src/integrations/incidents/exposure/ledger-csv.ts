import { toCsvLine } from '../../../platform/index.ts';
import type { ContainedView } from '../containment-view.ts';

/** Columns in a fixed order. New ones go last, because programs may rely on the order. */
const COLUMNS = ['team', 'teamKey', 'provider', 'connection', 'accountId', 'account', 'state', 'at', 'where'];

export const LEDGER_HEAD = toCsvLine(COLUMNS);

export const toLedgerLine = ({ team, provider, connection, account, state, at, where }: ContainedView): string =>
  toCsvLine([team.name ?? team.id, team.key, provider, connection, account.id, account.label, state, at, where]);
