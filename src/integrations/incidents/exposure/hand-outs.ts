import { AFTER_IDS, firstIdAt, giveWay } from '../../../platform/index.ts';
import { listEventsByAction } from '../../../teams/index.ts';
import type { IntegrationsContext } from '../../context.ts';
import { HAND_OUT, type HandOutDetail } from '../../refresh/hand-out-token.ts';

const PIECE = 100;

/** An access token that was handed out, as the audit log says it. */
export type HandOut = {
  at: number;
  provider: string;
  connection: string;
  actor: string;
  actorId: string | null;
  token: { id: string; name: string | null } | null;
};

/** Reads all hand-outs of a team that the audit log still has, newest first. `until`: only those up to this time. */
export async function* readHandOuts(
  { database }: Pick<IntegrationsContext, 'database'>,
  teamId: string,
  until?: number,
): AsyncGenerator<HandOut> {
  let before = until === undefined ? AFTER_IDS : firstIdAt(until + 1);
  for (let isLast = false; !isLast; ) {
    const events = await listEventsByAction(database, teamId, { action: HAND_OUT, before, limit: PIECE });
    isLast = events.length < PIECE;
    for (const { id, at, target, detail, actor, actorId } of events) {
      before = id;
      const { connection, token = null }: HandOutDetail = JSON.parse(detail ?? '{}');
      yield { at, provider: target ?? '', connection, actor, actorId, token };
    }
    await giveWay();
  }
}
