import { type CsvCell, type Database, toCsvLine, toIso, toReadableTime } from '../../../platform/index.ts';
import type { AuditCsv, ListedEvent } from '../../../teams/index.ts';
import { loadPeople } from '../../people.ts';
import type { Person } from '../../person.ts';
import { describeAction, describeActor, describeSubject, type People, recordedAtOf } from './audit-words.ts';

/** The IDs of those who may be people: who did it, and what it was done to. */
export const peopleIn = (events: readonly Pick<ListedEvent, 'actorId' | 'target'>[]): (string | null)[] =>
  events.flatMap(({ actorId, target }) => [actorId, target]);

const printTime = (at: number): string => toReadableTime(toIso(at));

const describeDetails = (event: ListedEvent, people: People): string => {
  const recordedAt = recordedAtOf(event);
  const parts = [describeSubject(event, people), recordedAt === null ? '' : `recorded ${printTime(recordedAt)}`];
  return parts.filter((part) => part !== '').join(' · ');
};

/** The file for a person: the words of the page, times in UTC, and IDs last. Members don't get the IP addresses. */
export const createAuditFile = (database: Database, { team, role }: Person): AuditCsv => {
  const whenAdmin = (cell: CsvCell): CsvCell[] => (role === 'admin' ? [cell] : []);
  const toLine = (event: ListedEvent, people: People): string => {
    const { id, at, address, requestId } = event;
    const words = [describeActor(event, people), describeAction(event), describeDetails(event, people)];
    return toCsvLine([printTime(at), ...words, ...whenAdmin(address), id, requestId]);
  };
  return {
    head: toCsvLine(['When (UTC)', 'Who', 'What', 'Details', ...whenAdmin('IP address'), 'Entry ID', 'Request ID']),
    async toLines(events) {
      const people = await loadPeople({ database }, team.id, peopleIn(events));
      return events.map((event) => toLine(event, people)).join('');
    },
  };
};
