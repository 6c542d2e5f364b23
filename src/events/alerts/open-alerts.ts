import { DatabaseUnavailable, type Transaction } from '../../platform/index.ts';
import { getTeam, isWithinHours, lockTeam } from '../../teams/index.ts';
import type { EventsContext } from '../context.ts';
import type { EventType } from '../log/event.ts';
import { getEvent } from '../log/event-store.ts';
import { toEventView } from '../log/event-view.ts';
import { findStretchEnd, listNews, type News } from '../log/news-store.ts';
import { numberEvents } from '../log/number-events.ts';
import {
  type AlertKind,
  type AlertSettings,
  CALL_KINDS,
  DEFAULT_SETTINGS,
  EFFECTS,
  isWanted,
  type Resolution,
} from './alert.ts';
import {
  type Cause,
  countOpenCallAlerts,
  forgetAlert,
  listOpenAbout,
  listOpenCalls,
  MOST_OPEN,
  openFromEvent,
  resolveAlert,
} from './alert-store.ts';
import { getPlace, getSettings, listSettings, lockAlerts, movePlace, putDue } from './alert-team-store.ts';
import { findTellAt } from './held-alerts.ts';

/** Finds which of these calls don't need a callback, or no longer do. Passed in, because telephony knows the calls. */
type FindNotWaiting = (teamId: string, callIds: readonly string[]) => Promise<string[]>;

type ReadingContext = EventsContext & { findNotWaiting: FindNotWaiting };

/** How many events of the log are handled in one transaction. */
const STRETCH = 200;

/** Events that may mean that an earlier caller has been called back: a call began, or an answered call ended. */
const MAY_RETURN: readonly EventType[] = ['call.started', 'call.ended'];
const TYPES = [...new Set([...(Object.keys(EFFECTS) as EventType[]), ...MAY_RETURN])];

const isCall = (kind: AlertKind): boolean => CALL_KINDS.some((one) => one === kind);

const keyOf = ({ teamId, kind, subject }: Cause): string => `${teamId} ${kind} ${subject}`;

/** When a call came in. If that can't be read, when the event was recorded. */
const startedAtOf = async (context: EventsContext, { id, teamId, createdAt }: News): Promise<number> => {
  try {
    const event = await getEvent(context.database, teamId, id);
    const view = event && (await toEventView(context.vault, event));
    const startedAt = Date.parse(String(view?.data['startedAt']));
    return Number.isNaN(startedAt) ? createdAt : startedAt;
  } catch (err) {
    if (err instanceof DatabaseUnavailable) throw err;
    // Go on with the time of the event, so that one unreadable call doesn't hold up all other alerts.
    context.log.warn({ err, event: id }, 'an event could not be opened');
    return createdAt;
  }
};

const isInHours = async (context: EventsContext, news: News): Promise<boolean> => {
  const team = await getTeam(context.database, news.teamId);
  if (!team) return false;
  return isWithinHours(team.businessHours, team.timeZone, await startedAtOf(context, news));
};

type Step = { news: News; opens: AlertKind | null; ends: Cause[]; as: Resolution | null };

/**
 * Plans to close alerts about calls that no longer need a callback. No event says so: the team called back, the caller
 * reached the team later, or it was a demo call and there are real calls now.
 */
const planReturns = async (
  { database, findNotWaiting }: ReadingContext,
  found: readonly News[],
  steps: readonly Step[],
): Promise<Step[]> => {
  const returns: Step[] = [];
  const last = new Map(found.filter(({ type }) => MAY_RETURN.includes(type)).map((news) => [news.teamId, news]));
  for (const [teamId, news] of last) {
    const opened = steps.filter((step) => step.news.teamId === teamId && step.opens !== null && isCall(step.opens));
    const calls = new Set([...(await listOpenCalls(database, teamId)), ...opened.map((step) => step.news.subject)]);
    if (calls.size === 0) continue;
    const returned = await findNotWaiting(teamId, [...calls]);
    const ends = returned.flatMap((subject) => CALL_KINDS.map((kind) => ({ teamId, kind, subject })));
    if (ends.length > 0) returns.push({ news, opens: null, ends, as: null });
  }
  return returns;
};

/** Plans which alerts to open and which to end for a part of the log. Changes nothing. */
const planSteps = async (context: ReadingContext, found: readonly News[]): Promise<Step[]> => {
  if (found.length === 0) return [];
  const settings = await listSettings(context.database, [...new Set(found.map(({ teamId }) => teamId))]);
  const open = new Set((await listOpenAbout(context.database, found)).map(keyOf));
  const steps: Step[] = [];
  for (const news of found) {
    const { teamId, subject, type } = news;
    const effect = EFFECTS[type];
    if (!effect) continue;
    if ('opens' in effect) {
      const kind = effect.opens;
      if (!isWanted(settings.get(teamId) ?? DEFAULT_SETTINGS, kind)) continue;
      if (kind === 'missed' && !(await isInHours(context, news))) continue;
      open.add(keyOf({ teamId, kind, subject }));
      steps.push({ news, opens: kind, ends: [], as: null });
      continue;
    }
    const kinds = 'resolves' in effect ? [effect.resolves] : effect.forgets;
    const ends = kinds.map((kind) => ({ teamId, kind, subject })).filter((cause) => open.has(keyOf(cause)));
    const as = 'resolves' in effect ? effect.as : null;
    if (ends.length > 0) steps.push({ news, opens: null, ends, as });
  }
  return [...steps, ...(await planReturns(context, found, steps))];
};

/** Ends the alerts of a step. Returns whether people have to be told. */
const end = async (tx: Transaction, { news, ends, as }: Step): Promise<boolean> => {
  let isNews = false;
  for (const cause of ends) {
    if (as === null) await forgetAlert(tx, cause);
    else isNews = (await resolveAlert(tx, cause, { as, at: news.createdAt })) > 0 || isNews;
  }
  return isNews;
};

const takeSteps = async (
  { clock, newId }: EventsContext,
  tx: Transaction,
  teamId: string,
  steps: readonly Step[],
): Promise<void> => {
  if (!(await lockTeam(tx, teamId))) return;
  await lockAlerts(tx, teamId);
  // Read the settings again: someone may have changed them since the steps were planned.
  const settings: AlertSettings = await getSettings(tx, teamId);
  let calls = await countOpenCallAlerts(tx, teamId);
  let leftOut = 0;
  let isNews = false;
  for (const step of steps) {
    const { opens: kind, news } = step;
    if (kind === null) isNews = (await end(tx, step)) || isNews;
    else if (!isWanted(settings, kind)) continue;
    else if (isCall(kind) && calls >= MOST_OPEN) leftOut++;
    else {
      const { id: eventId, subject, createdAt: openedAt } = news;
      const tellAt = isCall(kind) ? null : await findTellAt(tx, { teamId, kind, subject }, clock.now());
      const opened = await openFromEvent(tx, { id: newId(), teamId, kind, subject, openedAt, tellAt }, eventId);
      if (isCall(kind)) calls += opened;
      isNews ||= opened > 0 && tellAt === null;
    }
  }
  if (isNews || leftOut > 0) await putDue(tx, teamId, clock.now(), leftOut);
};

/**
 * Opens and ends alerts for the next part of the log. In the same transaction, stores how far the log was read. So each
 * event is handled once, even if a process is killed or several run this. Returns whether there is more.
 */
const readOn = async (context: ReadingContext): Promise<boolean> => {
  const { database } = context;
  const { position, end: last } = await getPlace(database);
  if (position >= last) return false;
  const upTo = await findStretchEnd(database, { after: position, upTo: last }, STRETCH);
  const steps = await planSteps(context, await listNews(database, { after: position, upTo }, TYPES));
  const byTeam = Map.groupBy(steps, ({ news }) => news.teamId);
  await database.transaction(async (tx) => {
    if ((await movePlace(tx, position, upTo)) === 0) return;
    // Lock teams in the same order in every process, to avoid deadlocks.
    for (const teamId of [...byTeam.keys()].sort()) await takeSteps(context, tx, teamId, byTeam.get(teamId) ?? []);
  });
  return upTo < last;
};

/** Reads the log to its end, and opens and ends alerts. */
export const openAlerts = async (context: EventsContext, findNotWaiting: FindNotWaiting): Promise<void> => {
  await numberEvents(context);
  while (await readOn({ ...context, findNotWaiting }));
};
