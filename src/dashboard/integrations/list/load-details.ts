import type { DashboardContext } from '../../context.ts';
import { loadUsage } from '../usage.ts';
import type { Shown } from './pick-shown.ts';

/** Loads what the shown cards need besides their entries. */
export const loadDetails = async (context: DashboardContext, teamId: string, { attention, connected }: Shown) => {
  const single = connected.items.filter(({ connections }) => connections.length === 1).map(({ id }) => id);
  const listed = attention.items.map(({ entry }) => entry).filter(({ provider }) => provider !== null);
  const broken = [...new Set(listed.map(({ id }) => id))];
  const [usageOf, setUps] = await Promise.all([
    loadUsage(context, teamId, single),
    Promise.all(broken.map(async (id) => [id, await context.integrations.getSetUp(teamId, id)] as const)),
  ]);
  return { usageOf, setUps: new Map(setUps) };
};
