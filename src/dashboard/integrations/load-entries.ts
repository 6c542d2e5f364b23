import { notFound } from '../../http/index.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { type Entry, toEntries } from './entry.ts';

type EntryDependencies = Pick<DashboardDependencies, 'integrations'>;

export const loadEntries = async ({ integrations }: EntryDependencies, teamId: string): Promise<Entry[]> => {
  const [providers, status] = await Promise.all([integrations.listProviders(teamId), integrations.getStatus(teamId)]);
  return toEntries(teamId, providers, status.integrations);
};

/** One provider, and what the team has set up for it. */
export const loadEntry = async (dependencies: EntryDependencies, teamId: string, id: string) => {
  const entry = (await loadEntries(dependencies, teamId)).find((one) => one.id === id);
  if (!entry) throw notFound();
  return { entry, setUp: entry.provider && (await dependencies.integrations.getSetUp(teamId, id)) };
};
