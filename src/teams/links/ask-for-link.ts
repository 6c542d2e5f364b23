import type { Jobs } from '../../jobs/index.ts';
import type { Database, NewId } from '../../platform/index.ts';
import { normalizeEmail } from '../records/add-user.ts';
import { listUsersByEmail } from '../records/user-store.ts';
import { mailSignInLink } from './mail-sign-in-link.job.ts';

type Dependencies = { database: Database; newId: NewId; jobs: Pick<Jobs, 'enqueue'> };

/**
 * Emails a sign-in link to whoever has this address. One link is enough for all their teams, since they choose after
 * signing in. An address that nobody has gets a job for nobody, so that the response time doesn't reveal who is here.
 */
export const askForLink = async ({ database, newId, jobs }: Dependencies, email: string): Promise<void> => {
  const [user] = await listUsersByEmail(database, normalizeEmail(email));
  const holder = { teamId: user?.teamId ?? newId(), userId: user?.id ?? newId() };
  await database.transaction((tx) => jobs.enqueue(tx, mailSignInLink, holder));
};
