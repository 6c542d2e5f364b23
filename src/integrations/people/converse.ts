import { Refusal } from '../../platform/index.ts';
import type { OptionalValues } from '../catalogue/people/fill-body.ts';
import type { CallLog, CrmAsk, PeopleRules } from '../catalogue/people/people.ts';
import { withDefaults } from '../catalogue/placeholders.ts';
import type { OpenApi } from '../proxy/open-api.ts';
import { knownOf } from '../requests/chosen-site.ts';
import { askCrm, type CrmAnswer, type CrmContext } from './ask-crm.ts';
import { getPeopleSettings, noteAnswered, noteProblem, type PeopleSettings } from './people-store.ts';

/** Nothing was sent. It may work from this time on. */
export type Later = { state: 'later'; until: number };

/** A connection whose provider can be asked now. */
export type Conversation = {
  settings: PeopleSettings;
  people: PeopleRules;
  log: CallLog | null;
  /** Values of the connection, for addresses. */
  values: Readonly<Record<string, string>>;
  /** Sends a request, and notes what went wrong. */
  ask(ask: CrmAsk, values: OptionalValues): Promise<CrmAnswer>;
};

/** Which connection of a team is asked. */
export type WhichConnection = Pick<PeopleSettings, 'teamId' | 'connectionId'>;

/** How long to wait if the connection or the service is stopped. */
const STOPPED_MS = 60_000;
const BUSY_MS = 10_000;
const MOST_BUSY_MS = 3_600_000;
const FIRST_AWAY_MS = 5_000;
const MOST_AWAY_MS = 15 * 60_000;

const awayMs = (failures: number): number => Math.min(MOST_AWAY_MS, FIRST_AWAY_MS * 2 ** Math.min(failures, 20));

/** Until when nothing more is sent after an answer. Null if the next request may follow at once. */
const pauseAfter = (answer: CrmAnswer, failures: number, now: number): number | null => {
  if (answer.state === 'busy') return now + Math.min(MOST_BUSY_MS, answer.retryAfterMs ?? BUSY_MS);
  return answer.state === 'away' || answer.state === 'unreadable' ? now + awayMs(failures) : null;
};

const rulesOf = ({ catalogue }: CrmContext, { provider }: PeopleSettings) => {
  const record = catalogue.get(provider)?.record;
  return record?.people ? { record, people: record.people, log: record.log ?? null } : null;
};

/** Opens the connection's API. Null if it's stopped, gone, or for another account by now. */
const openFor = async (context: CrmContext, settings: PeopleSettings): Promise<OpenApi | null> => {
  const { teamId, provider, name, connectionId } = settings;
  try {
    const opened = await context.apis.open({ teamId, provider, name });
    return opened.connection.id === connectionId ? opened : null;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
};

/**
 * Begins to ask a connection's provider. Null if that isn't turned on anymore. Nobody is asked while the service is
 * paused, the connection is stopped, or the provider wants to be spared.
 */
export const converse = async (
  context: CrmContext,
  { teamId, connectionId }: WhichConnection,
): Promise<Conversation | Later | null> => {
  const { database, clock } = context;
  const settings = await getPeopleSettings(database, teamId, connectionId);
  const rules = settings && rulesOf(context, settings);
  if (!rules) return null;
  const now = clock.now();
  const { pausedUntil } = settings;
  if (pausedUntil !== null && pausedUntil > now && pausedUntil - now <= MOST_BUSY_MS)
    return { state: 'later', until: pausedUntil };
  if (await context.pause.read()) return { state: 'later', until: now + STOPPED_MS };
  const opened = await openFor(context, settings);
  if (!opened) {
    const until = now + STOPPED_MS;
    await noteProblem(database, settings, { problem: 'stopped', now, pausedUntil: until });
    return { state: 'later', until };
  }
  const { connection } = opened;
  const { installationId } = connection;
  const known = withDefaults(knownOf('sites' in rules.record ? rules.record : {}, connection), rules.record);
  const values = { ...known, ...(installationId === null ? {} : { installation_id: installationId }) };
  let failures = settings.failures;
  return {
    ...{ settings, values, people: rules.people, log: rules.log },
    async ask(ask, own) {
      const answer = await askCrm(context, opened, ask, { ...values, ...own });
      const { state } = answer;
      const at = clock.now();
      if (state === 'answered') {
        await noteAnswered(database, settings);
        failures = 0;
      } else {
        await noteProblem(database, settings, {
          problem: state,
          now: at,
          pausedUntil: pauseAfter(answer, failures, at),
        });
        failures++;
      }
      return answer;
    },
  };
};

/** When to try again after an answer. */
export const laterAfter = (answer: CrmAnswer, failures: number, now: number): Later => ({
  state: 'later',
  until: pauseAfter(answer, failures, now) ?? now + STOPPED_MS,
});
