import type { EventType, NewEvent } from '../../events/index.ts';
import type { Transaction } from '../../platform/index.ts';
import { getFirstTeamId } from '../../teams/index.ts';
import type { Containment } from '../containment/containment.ts';
import type { IntegrationsContext } from '../context.ts';
import { containmentUrl, viewContainment } from './containment-view.ts';

type Told = Extract<EventType, `containment.${string}`>;

/** Records an event about a containment: for the team that it's about, or for everybody. */
export const recordContainment = async (
  context: Pick<IntegrationsContext, 'record' | 'url'>,
  tx: Transaction,
  type: Told,
  containment: Containment,
): Promise<void> => {
  const { id: subject, ofTeamId } = containment;
  const teamId = ofTeamId ?? (await getFirstTeamId(tx));
  if (teamId === undefined) return;
  const data = { ...(await viewContainment(tx, containment)), url: containmentUrl(context.url, containment) };
  const event: NewEvent = { teamId, type, subject, data, ofEverybody: ofTeamId === null };
  await context.record(tx, event);
};
