import { OUTCOME_NAMES } from '../../telephony/index.ts';
import { describeChange, formatCount, formatSeconds, type ReportView } from '../figures/compare.ts';
import { callsBehind } from '../week/evidence.ts';
import { formatInstant } from './report-title.ts';
import { atMost, barred, type Counted, clip, compared, count, LONGEST_NOTE, plain, type Row } from './row.ts';

export type SectionId =
  | 'waiting'
  | 'calls'
  | 'outcomes'
  | 'hours'
  | 'waits'
  | 'callers'
  | 'numbers'
  | 'recordings'
  | 'integrations'
  | 'quality';
export type Section = { id: SectionId; title: string; rows: Row[] };

const { answered, missed, abandoned, voicemail } = OUTCOME_NAMES;

export const FIGURE_NAMES = { answered, missed, abandoned, voicemail, other: 'Other' } as const;

const nameOf = (outcome: string): string =>
  Object.hasOwn(OUTCOME_NAMES, outcome) ? OUTCOME_NAMES[outcome as keyof typeof OUTCOME_NAMES] : clip(outcome);

const STATUSES = new Map([
  ['connected', 'connected'],
  ['degraded', 'connected, with trouble that should pass'],
  ['needs_reconnect', 'must be connected again'],
  ['disconnected', 'not connected'],
]);

/** Behind the number are those who still wait now: of those who waited then, a row each. */
const waitingRows = (report: ReportView): Row[] => {
  const { unreturned } = report.figures;
  const evidence = callsBehind(report, { waiting: '1' });
  return [
    count('Calls still waiting', unreturned.total, { evidence }),
    ...atMost(
      unreturned.oldest.map(({ callId, from, at, outcome }) =>
        plain(from === null ? 'Number withheld' : clip(from), formatInstant(at, report.timeZone), {
          note: nameOf(outcome),
          evidence: `/calls/${encodeURIComponent(callId)}`,
        }),
      ),
      unreturned.total,
    ),
  ];
};

const numberRows = (report: ReportView): Row[] => {
  const { numbers } = report.figures;
  const rows = numbers.map(({ number, label, calls, answered, missed }): Counted => {
    const name = [label, number].filter((part) => part !== null).map((part) => clip(part));
    const note = `${formatCount(answered)} answered, ${formatCount(missed)} taken by nobody`;
    const evidence = number === null ? null : callsBehind(report, { to: number });
    return [name.join(', ') || 'Number not known', calls, { note, evidence }];
  });
  return atMost(barred(rows), numbers.length);
};

const integrationRows = ({ figures: { integrations }, timeZone }: ReportView): Row[] =>
  atMost(
    integrations.map(({ provider, name, status, reconnectBefore, problem, troubleSince, refreshFailures }) => {
      const notes = [
        provider,
        reconnectBefore && `to be connected again before ${formatInstant(reconnectBefore, timeZone)}`,
        problem,
        troubleSince && `trouble since ${formatInstant(troubleSince, timeZone)}`,
        refreshFailures > 0 && `not refreshed ${formatCount(refreshFailures)} times in a row`,
      ];
      const evidence = `/integrations/${encodeURIComponent(provider)}`;
      return plain(clip(name), STATUSES.get(status) ?? clip(status), {
        note: clip(notes.filter((note) => note).join(', '), LONGEST_NOTE),
        evidence,
      });
    }),
    integrations.length,
  );

/** The report in words: every form shows these lines, all of them, in this order. What is null has none. */
export const sectionsOf = (report: ReportView): Section[] => {
  const { calls, outcomes, missedPercent, missedByHours, secondsToAnswer, talkSeconds, ...rest } = report.figures;
  const { callers, recordings, deliveriesRefused, quality } = rest;
  const all = callsBehind(report);
  const inbound = callsBehind(report, { direction: 'inbound' });
  const outbound = callsBehind(report, { direction: 'outbound' });
  const ended = (outcome: string): string => callsBehind(report, { direction: 'inbound', outcome });
  const endedAs = (outcome: keyof typeof FIGURE_NAMES): Counted =>
    compared(FIGURE_NAMES[outcome], outcomes[outcome], outcome === 'other' ? inbound : ended(outcome));
  const talked = plain('Time talked', formatSeconds(talkSeconds.value), {
    note: describeChange(talkSeconds, 'seconds'),
    evidence: talkSeconds.value > 0 ? callsBehind(report, { outcome: 'answered' }) : null,
  });
  const untaken =
    missedPercent === null
      ? plain('Taken by nobody', 'no call has ended')
      : plain('Taken by nobody', `${formatCount(missedPercent)} %`, { evidence: inbound });
  const waits = secondsToAnswer && [
    plain('Half of them at most', formatSeconds(secondsToAnswer.median), { evidence: ended('answered') }),
    plain('Nine of ten at most', formatSeconds(secondsToAnswer.p90), { evidence: ended('answered') }),
  ];
  const sections: Section[] = [
    { id: 'waiting', title: 'Waiting for a call back', rows: waitingRows(report) },
    {
      id: 'calls',
      title: 'Calls',
      rows: [
        ...barred([compared('Came in', calls.inbound, inbound), compared('Went out', calls.outbound, outbound)]),
        talked,
      ],
    },
    {
      id: 'outcomes',
      title: 'How calls that came in ended',
      rows: [...barred((['answered', 'missed', 'abandoned', 'voicemail', 'other'] as const).map(endedAs)), untaken],
    },
    {
      id: 'hours',
      title: 'Taken by nobody, by opening hours',
      rows: missedByHours
        ? barred([
            ['In opening hours', missedByHours.inside, { evidence: inbound }],
            ['Outside them', missedByHours.outside, { evidence: inbound }],
          ])
        : [],
    },
    {
      id: 'waits',
      title: 'How long callers waited',
      rows: waits ?? [plain('Until a person answered', 'nobody was reached')],
    },
    {
      id: 'callers',
      title: 'Callers',
      rows: barred([
        ['Never called before', callers.firstTime, { evidence: inbound }],
        ['Called more than once', callers.repeat, { evidence: inbound }],
        ['All', callers.total, { evidence: inbound }],
      ]),
    },
    { id: 'numbers', title: 'Your numbers', rows: numberRows(report) },
    {
      id: 'recordings',
      title: 'Recordings',
      rows: barred([
        ['Made', recordings.made, { evidence: all }],
        ['Archived', recordings.archived, { evidence: all }],
        ['Failed', recordings.failed, { evidence: all }],
      ]),
    },
    { id: 'integrations', title: 'Integrations', rows: integrationRows(report) },
    {
      id: 'quality',
      title: 'What may be missing',
      rows: [
        count('Deliveries refused', deliveriesRefused, { evidence: '/settings/telephony' }),
        count('Calls without an end', quality.withoutEnd, { evidence: all }),
        count('Calls with late news', quality.late, { note: 'told more than an hour after their end', evidence: all }),
      ],
    },
  ];
  return sections.filter(({ rows }) => rows.length > 0);
};
