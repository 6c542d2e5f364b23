import { DatabaseUnavailable, isPhoneNumber, workFor } from '../../platform/index.ts';
import { openParties } from '../calls/call-parties.ts';
import { getCall, type ListedCall } from '../calls/call-store.ts';
import { partyText } from '../calls/call-summary.ts';
import { type KeptPerson, sealPerson } from '../people/person.ts';
import {
  deletePerson,
  leasePerson,
  listDuePersons,
  lockNamedCall,
  type PersonRow,
  postponeLookups,
  settlePerson,
} from '../people/person-store.ts';
import type { CrmsContext } from './context.ts';

const AT_ONCE = 16;
const AT_ONCE_PER_TEAM = 4;
/** Longer than a lookup takes. After that, another process may do it. */
const LEASE_MS = 120_000;

type Settings = Awaited<ReturnType<CrmsContext['people']['listOfTeams']>>[number];

/** What is known after everybody was asked. `later`: somebody has to be asked again. */
type Answer =
  | { state: 'found'; person: KeptPerson; by: Settings }
  | { state: 'nobody' | 'failed' }
  | { state: 'later'; until: number };

/** Asks one CRM after the other, until one knows the number. */
const askAll = async ({ people }: CrmsContext, asked: readonly Settings[], number: string): Promise<Answer> => {
  let until: number | null = null;
  let hasFailed = false;
  for (const settings of asked) {
    const outcome = await people.lookUpPerson(settings, number);
    if (outcome.state === 'found') return { state: 'found', person: outcome.contact, by: settings };
    if (outcome.state === 'later') until = Math.min(until ?? outcome.until, outcome.until);
    if (outcome.state === 'failed') hasFailed = true;
  }
  if (until !== null) return { state: 'later', until };
  return { state: hasFailed ? 'failed' : 'nobody' };
};

const numberOf = async ({ vault }: CrmsContext, call: ListedCall): Promise<string | null> => {
  const { from, to } = await openParties(vault, call);
  const number = partyText(call.direction === 'inbound' ? from : to);
  return number !== null && isPhoneNumber(number) ? number : null;
};

const NOBODY = { person: null, provider: null, connectionId: null };

/** Stores an answer, unless the call was erased meanwhile: then, nothing may be left of its number. */
const settle = async (
  { database, vault, clock, people }: CrmsContext,
  row: PersonRow,
  answer: Exclude<Answer, { state: 'later' }>,
): Promise<void> => {
  const now = clock.now();
  const found =
    answer.state === 'found'
      ? {
          person: await sealPerson(vault, row, answer.person),
          provider: answer.by.provider,
          connectionId: answer.by.connectionId,
        }
      : NOBODY;
  await database.transaction(async (tx) => {
    if (!(await lockNamedCall(tx, row.teamId, row.callId))) {
      await deletePerson(tx, row);
      return;
    }
    // The connection may have been removed while it was asked.
    const isOn = answer.state !== 'found' || (await people.lockLookup(tx, answer.by));
    const kept = isOn ? found : NOBODY;
    const isChanged = kept.person !== null || row.person !== null;
    const askedAt = answer.state === 'failed' || !isOn ? null : now;
    await settlePerson(tx, row, { ...kept, askedAt, namedAt: isChanged ? now : row.namedAt });
  });
};

const nameOne = async (context: CrmsContext, row: PersonRow): Promise<void> => {
  const { database, clock, people, onNamed } = context;
  const now = clock.now();
  if ((await leasePerson(database, row, { now, until: now + LEASE_MS })) === 0) return;
  const call = await getCall(database, row.teamId, row.callId);
  if (!call) return void (await deletePerson(database, row));
  const asked = (await people.listOfTeams([row.teamId])).filter(({ lookupSince }) => lookupSince !== null);
  const number = await numberOf(context, call);
  const answer: Answer =
    asked.length === 0
      ? { state: 'failed' }
      : number === null
        ? { state: 'nobody' }
        : await askAll(context, asked, number);
  if (answer.state === 'later') return postponeLookups(database, row, answer.until);
  await settle(context, row, answer);
  if (answer.state === 'found') onNamed(row.teamId);
};

/** Looks up numbers that are due: several at once, and a few of each team, so that a slow CRM holds up no other team. */
export const createNaming = (context: CrmsContext) => {
  const { database, clock, log } = context;
  const busy = new Map<string, string>();
  let filling: Promise<void> | null = null;
  let isClosed = false;

  const countOf = (teamId: string): number => busy.values().reduce((n, one) => (one === teamId ? n + 1 : n), 0);

  const tell = (err: unknown, teamId?: string): void => {
    if (err instanceof DatabaseUnavailable) log.debug({ err }, 'callers wait to be looked up');
    else log.warn({ err, teamId }, 'a caller could not be looked up');
  };

  const begin = (row: PersonRow): void => {
    const key = `${row.teamId} ${row.partyHash}`;
    busy.set(key, row.teamId);
    void workFor(row.teamId, () => nameOne(context, row))
      .catch((err) => tell(err, row.teamId))
      .then(() => busy.delete(key))
      .then(work);
  };

  const fill = async (): Promise<void> => {
    if (isClosed || busy.size >= AT_ONCE) return;
    for (const row of await listDuePersons(database, clock.now())) {
      const isFree = busy.size < AT_ONCE && countOf(row.teamId) < AT_ONCE_PER_TEAM;
      if (isFree && !isClosed && !busy.has(`${row.teamId} ${row.partyHash}`)) begin(row);
    }
  };

  /** Begins what is due. Whatever ends begins what is due then. */
  const work = (): Promise<void> => {
    filling ??= fill()
      .catch(tell)
      .finally(() => {
        filling = null;
      });
    return filling;
  };

  return {
    work,
    isBusy: (): boolean => busy.size > 0 || filling !== null,
    close(): void {
      isClosed = true;
    },
  };
};
