import { connectionTitle } from '../../integrations/index.ts';
import { leadsSomewhere, toOneLine } from '../../mail/index.ts';
import {
  formatPhoneNumber,
  type HourCycle,
  hourCycleIn,
  isPhoneNumber,
  momentWords,
  type TimeStyle,
} from '../../platform/index.ts';
import { OUTCOME_NAMES } from '../../telephony/index.ts';
import type { ReportView } from '../figures/view-report.ts';
import { describeChange, formatCount, formatSeconds } from './describe-change.ts';
import { integrationNote } from './integration-note.ts';
import {
  atMost,
  barred,
  type CountedRow,
  callsBehind,
  clip,
  compared,
  count,
  LONGEST_NOTE,
  plain,
  type Row,
} from './row.ts';
import { unansweredOf } from './unanswered.ts';

/** The titles of all sections, in the order that messages show them. Sections with a chart on the page come first. */
const TITLES = {
  outcomes: 'How inbound calls ended',
  waits: 'How long callers waited',
  hours: 'Unanswered, by business hours',
  waiting: 'Waiting for a call back',
  calls: 'Calls',
  callers: 'Callers',
  numbers: 'Your numbers',
  recordings: 'Recordings',
  integrations: 'Integrations',
  quality: 'Possible gaps',
};
export type SectionId = keyof typeof TITLES;
export type Section = {
  id: SectionId;
  title: string;
  rows: Row[];
  /** What the rows count, if "5 more" alone would be unclear. */
  unit: 'callers' | 'calls' | null;
};

/** Whether every waiting call is listed. If not, the number of waiting callers is unknown. */
const isWhole = ({ figures: { unreturned } }: ReportView): boolean => unreturned.oldest.length === unreturned.total;

const { answered, missed, abandoned, voicemail } = OUTCOME_NAMES;

export const FIGURE_NAMES = { answered, missed, abandoned, voicemail, other: 'Other' } as const;

const nameOf = (outcome: string): string =>
  Object.hasOwn(OUTCOME_NAMES, outcome) ? OUTCOME_NAMES[outcome as keyof typeof OUTCOME_NAMES] : clip(outcome);

const STATUSES = new Map([
  ['connected', 'connected'],
  ['degraded', 'connected, with a temporary problem'],
  ['needs_reconnect', 'needs to be reconnected'],
  ['disconnected', 'not connected'],
]);

const phoneOf = (number: string, { callingCode }: ReportView): string => formatPhoneNumber(number, callingCode);

/** The limit for what was said, so that it fits into a note with the words before it. */
const LONGEST_HEARD = 90;

type Options = TimeStyle & {
  /** Whether the rows are for a page, which turns no text into links. Mail and chat apps do. */
  isPage: boolean;
};

type WaitingCall = ReportView['figures']['unreturned']['oldest'][number];

/** Whether to show a text that somebody else has chosen. Messages don't show it if it has a link. */
const mayShow = (text: string, { isPage }: Pick<Options, 'isPage'>): boolean => isPage || !leadsSomewhere(text);

/** Names a caller. Callers without a phone number choose a name themselves. */
const callerOf = (from: string | null, report: ReportView, options: Options): string => {
  if (from === null) return 'Private number';
  const name = clip(phoneOf(from, report));
  return mayShow(name, options) ? name : 'Caller without a phone number';
};

/** The name that a CRM has for a caller, unless a message would turn it into a link. Null if there is none. */
const contactOf = ({ person }: WaitingCall, options: Options): string | null => {
  const name = person && clip(toOneLine(person.name));
  return name === null || name === '' || !mayShow(name, options) ? null : name;
};

/**
 * Groups waiting calls by caller, oldest first. A private number is always a caller of its own, because private numbers
 * can't be told apart.
 */
const groupByCaller = (calls: readonly WaitingCall[]): [WaitingCall, ...WaitingCall[]][] => {
  const callers = Map.groupBy(calls, ({ callId, from }) => (from === null ? `call ${callId}` : `from ${from}`));
  return [...callers.values()].flatMap(([first, ...more]) => (first ? [[first, ...more] as const] : []));
};

/** Describes a caller's attempts. If one of them is a voicemail, says so, because someone should listen to it. */
const attemptsOf = (calls: readonly [WaitingCall, ...WaitingCall[]]): string => {
  const outcome = (calls.find((call) => call.outcome === 'voicemail') ?? calls[0]).outcome;
  return calls.length === 1 ? nameOf(outcome) : `${nameOf(outcome)}, called ${formatCount(calls.length)} times`;
};

/**
 * What a machine heard in a caller's newest voicemail, after a note. In messages it's left out if an app would turn a
 * part of it into a link, because the caller has chosen the words.
 */
const withHeard = (note: string, calls: readonly WaitingCall[], { heard }: ReportView, options: Options): string => {
  const text = calls.flatMap(({ callId }) => heard?.get(callId) ?? []).at(-1);
  return text === undefined || !mayShow(text, options)
    ? note
    : clip(`${note}. A machine heard: “${clip(text, LONGEST_HEARD)}”`, LONGEST_NOTE);
};

/**
 * The rows of waiting callers. The total links to the calls waiting now; the rows show who was waiting when the report
 * was made.
 */
const waitingRows = (report: ReportView, options: Options): Row[] => {
  const { total, oldest } = report.figures.unreturned;
  const callers = groupByCaller(oldest);
  const listsCallers = isWhole(report);
  const rows = callers.map((calls) => {
    const [{ callId, from, at }] = calls;
    const [number, name] = [callerOf(from, report, options), contactOf(calls[0], options)];
    return plain(name === null ? number : `${name}, ${number}`, momentWords(Date.parse(at), options), {
      phone: from !== null && isPhoneNumber(from) ? from : null,
      note: withHeard(attemptsOf(calls), calls, report, options),
      evidence: `/calls/${encodeURIComponent(callId)}`,
      standsFor: listsCallers ? 1 : calls.length,
    });
  });
  const isNews = listsCallers && callers.length < total;
  return [
    count(report.isOver ? 'Calls still waiting' : 'Calls waiting so far', total, {
      note: isNews ? `from ${formatCount(callers.length)} ${callers.length === 1 ? 'caller' : 'callers'}` : null,
      evidence: callsBehind(report, { waiting: '1' }),
      standsFor: 0,
    }),
    ...atMost(rows, listsCallers ? rows.length : total),
  ];
};

const numberRows = (report: ReportView, options: Options): Row[] => {
  const { numbers } = report.figures;
  const rows = numbers.map(({ number, label, calls, answered, missed }): CountedRow => {
    const names = [label, number && phoneOf(number, report)].filter((part) => part !== null).map((part) => clip(part));
    const shown = names.filter((part) => mayShow(part, options));
    const note = `${formatCount(answered)} answered, ${formatCount(missed)} unanswered`;
    const evidence = number === null ? null : callsBehind(report, { to: number });
    return [shown.join(', ') || 'Unknown number', calls, { note, evidence }];
  });
  return atMost(barred(rows), numbers.length);
};

const integrationRows = ({ figures: { integrations } }: ReportView, options: Options): Row[] =>
  atMost(
    integrations.map((integration) => {
      const { provider, status } = integration;
      return plain(clip(connectionTitle(integration)), STATUSES.get(status) ?? clip(status), {
        note: integrationNote(integration, options, (sentence) => mayShow(sentence, options)),
        evidence: `/integrations/${encodeURIComponent(provider)}`,
      });
    }),
    integrations.length,
  );

const rowsOf = (report: ReportView, options: Options): Record<SectionId, Row[]> => {
  const { calls, outcomes, missedByHours, secondsToAnswer, talkSeconds, ...rest } = report.figures;
  const { callers, recordings, deliveriesRefused, quality } = rest;
  const all = callsBehind(report);
  const inbound = callsBehind(report, { direction: 'inbound' });
  const outbound = callsBehind(report, { direction: 'outbound' });
  const ended = (outcome: string): string => callsBehind(report, { direction: 'inbound', outcome });
  const endedAs = (outcome: keyof typeof FIGURE_NAMES): CountedRow =>
    compared(FIGURE_NAMES[outcome], outcomes[outcome], {
      outcome,
      evidence: outcome === 'other' ? inbound : ended(outcome),
    });
  const talked = plain('Talk time', formatSeconds(talkSeconds.value), {
    note: describeChange(talkSeconds, 'seconds'),
    evidence: talkSeconds.value > 0 ? callsBehind(report, { outcome: 'answered' }) : null,
  });
  const unanswered = unansweredOf(report.figures);
  const untaken =
    unanswered === null
      ? plain('Unanswered', 'no finished calls')
      : count('Unanswered', unanswered.calls, { note: unanswered.share, evidence: inbound });
  return {
    waiting: waitingRows(report, options),
    calls: [
      ...barred([
        compared('Inbound', calls.inbound, { evidence: inbound }),
        compared('Outbound', calls.outbound, { evidence: outbound }),
      ]),
      talked,
    ],
    outcomes: [...barred((['answered', 'missed', 'abandoned', 'voicemail', 'other'] as const).map(endedAs)), untaken],
    hours: missedByHours
      ? barred([
          ['During business hours', missedByHours.inside, { outcome: 'unanswered', evidence: inbound }],
          ['Outside business hours', missedByHours.outside, { outcome: 'unanswered', evidence: inbound }],
        ])
      : [],
    waits: secondsToAnswer
      ? [
          plain('Half waited at most', formatSeconds(secondsToAnswer.median), { evidence: ended('answered') }),
          plain('9 of 10 waited at most', formatSeconds(secondsToAnswer.p90), { evidence: ended('answered') }),
        ]
      : [plain('Until someone answered', 'no answered calls')],
    callers: barred([
      ['People who called', callers.total, { evidence: inbound }],
      ['Called for the first time', callers.firstTime, { evidence: inbound }],
      ['Called more than once', callers.repeat, { evidence: inbound }],
    ]),
    numbers: numberRows(report, options),
    recordings: barred([
      ['Recorded', recordings.made, { evidence: all }],
      ['Archived', recordings.archived, { evidence: all }],
      ['Failed', recordings.failed, { evidence: all }],
    ]),
    integrations: integrationRows(report, options),
    quality: [
      count('Refused requests', deliveriesRefused, { evidence: '/settings/telephony' }),
      count('Calls with no end reported', quality.withoutEnd, { evidence: all }),
      count('Late updates', quality.late, { note: 'received over an hour after the call ended', evidence: all }),
    ],
  };
};

/**
 * The report in words. Every format shows all of these rows. A figure that is null has no row. Only a page knows the
 * reader's hour cycle (`ofReader`), so messages use that of the team's time zone.
 */
export const sectionsOf = (report: ReportView, ofReader: HourCycle | null = null): Section[] => {
  const hourCycle = ofReader ?? hourCycleIn(report.timeZone);
  const style = { timeZone: report.timeZone, hourCycle, now: report.endsAt - 1 };
  const rows = rowsOf(report, { ...style, isPage: ofReader !== null });
  const waiting = isWhole(report) ? ('callers' as const) : ('calls' as const);
  return (Object.keys(TITLES) as SectionId[])
    .map((id) => ({ id, title: TITLES[id], rows: rows[id], unit: id === 'waiting' ? waiting : null }))
    .filter((section) => section.rows.length > 0);
};
