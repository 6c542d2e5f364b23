import { withContext } from '../../platform/index.ts';
import type { CrmContext } from './ask-crm.ts';
import { choosePeople, findPeopleConnection, listPeople, type PeopleContext, showPeople } from './choose-people.ts';
import { lookUpPerson } from './look-up-person.ts';
import { findFirstPosition, isAnythingOn, listPeopleOfTeams, lockLookup } from './people-store.ts';
import { createLogEntry, findLogEntry, settlesAfterMs, updateLogEntry } from './write-log.ts';

/** Looks up callers and logs calls at the CRMs that a team has connected. What there is to ask and say comes from telephony. */
export const createPeople = (context: CrmContext & PeopleContext, { demo }: { demo: string }) => {
  const { database } = context;
  return {
    ...withContext(context, { choosePeople, findPeopleConnection, listPeople, showPeople }),
    ...withContext(context, { lookUpPerson, createLogEntry, updateLogEntry, findLogEntry, settlesAfterMs }),
    /** Whether simulated calls are logged at a provider, too. Real CRMs only get real calls. */
    takesDemo: (provider: string): boolean => provider === demo,
    lockLookup,
    isAnythingOn: () => isAnythingOn(database),
    findFirstPosition: () => findFirstPosition(database),
    listOfTeams: (teamIds: readonly string[]) => listPeopleOfTeams(database, teamIds),
  };
};

export type CrmPeople = ReturnType<typeof createPeople>;
