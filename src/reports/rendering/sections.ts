import { connectionTitle } from '../../integrations/index.ts';
import { OUTCOME_NAMES } from '../../telephony/index.ts';
import type { ReportView } from '../figures/view-report.ts';
import { describeChange, formatCount, formatSeconds } from './describe-change.ts';
import { integrationNote } from './integration-note.ts';
import { formatInstant } from './report-title.ts';
import { atMost, barred, type Counted, callsBehind, clip, compared, count, plain, type Row } from './row.ts';

/** In the order that every format shows them. */
const TITLES = {
  waiting: 'Waiting for a call back',
  calls: 'Calls',
  outcomes: 'How inbound calls ended',
  hours: 'Unanswered, by business hours',
  waits: 'How long callers waited',
  callers: 'Callers',
  numbers: 'Your numbers',
  recordings: 'Recordings',
  integrations: 'Integrations',
  quality: 'Possible gaps',
};
export type SectionId = keyof typeof TITLES;
export type Section = { id: SectionId; title: string; rows: Row[] };

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

/** The total links to the calls waiting now; the rows are the calls that were waiting when the report was made. */
const waitingRows = (report: ReportView): Row[] => {
  const { unreturned } = report.figures;
  const evidence = callsBehind(report, { waiting: '1' });
  return [
    count('Calls still waiting', unreturned.total, { evidence }),
    ...atMost(
      unreturned.oldest.map(({ callId, from, at, outcome }) =>
        plain(from === null ? 'Private number' : clip(from), formatInstant(at, report.timeZone), {
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
    const note = `${formatCount(answered)} answered, ${formatCount(missed)} unanswered`;
    const evidence = number === null ? null : callsBehind(report, { to: number });
    return [name.join(', ') || 'Unknown number', calls, { note, evidence }];
  });
  return atMost(barred(rows), numbers.length);
};

const integrationRows = ({ figures: { integrations }, timeZone }: ReportView): Row[] =>
  atMost(
    integrations.map((integration) => {
      const { provider, status } = integration;
      return plain(clip(connectionTitle(integration)), STATUSES.get(status) ?? clip(status), {
        note: integrationNote(integration, timeZone),
        evidence: `/integrations/${encodeURIComponent(provider)}`,
      });
    }),
    integrations.length,
  );

const rowsOf = (report: ReportView): Record<SectionId, Row[]> => {
  const { calls, outcomes, missedPercent, missedByHours, secondsToAnswer, talkSeconds, ...rest } = report.figures;
  const { callers, recordings, deliveriesRefused, quality } = rest;
  const all = callsBehind(report);
  const inbound = callsBehind(report, { direction: 'inbound' });
  const outbound = callsBehind(report, { direction: 'outbound' });
  const ended = (outcome: string): string => callsBehind(report, { direction: 'inbound', outcome });
  const endedAs = (outcome: keyof typeof FIGURE_NAMES): Counted =>
    compared(FIGURE_NAMES[outcome], outcomes[outcome], outcome === 'other' ? inbound : ended(outcome));
  const talked = plain('Talk time', formatSeconds(talkSeconds.value), {
    note: describeChange(talkSeconds, 'seconds'),
    evidence: talkSeconds.value > 0 ? callsBehind(report, { outcome: 'answered' }) : null,
  });
  const untaken =
    missedPercent === null
      ? plain('Unanswered', 'no finished calls')
      : plain('Unanswered', `${formatCount(missedPercent)}%`, { evidence: inbound });
  return {
    waiting: waitingRows(report),
    calls: [
      ...barred([compared('Inbound', calls.inbound, inbound), compared('Outbound', calls.outbound, outbound)]),
      talked,
    ],
    outcomes: [...barred((['answered', 'missed', 'abandoned', 'voicemail', 'other'] as const).map(endedAs)), untaken],
    hours: missedByHours
      ? barred([
          ['During business hours', missedByHours.inside, { evidence: inbound }],
          ['Outside business hours', missedByHours.outside, { evidence: inbound }],
        ])
      : [],
    waits: secondsToAnswer
      ? [
          plain('Median', formatSeconds(secondsToAnswer.median), { evidence: ended('answered') }),
          plain('90th percentile', formatSeconds(secondsToAnswer.p90), { evidence: ended('answered') }),
        ]
      : [plain('Time to answer', 'no answered calls')],
    callers: barred([
      ['First-time callers', callers.firstTime, { evidence: inbound }],
      ['Called more than once', callers.repeat, { evidence: inbound }],
      ['Total', callers.total, { evidence: inbound }],
    ]),
    numbers: numberRows(report),
    recordings: barred([
      ['Recorded', recordings.made, { evidence: all }],
      ['Archived', recordings.archived, { evidence: all }],
      ['Failed', recordings.failed, { evidence: all }],
    ]),
    integrations: integrationRows(report),
    quality: [
      count('Refused requests', deliveriesRefused, { evidence: '/settings/telephony' }),
      count('Calls with no end reported', quality.withoutEnd, { evidence: all }),
      count('Late updates', quality.late, { note: 'received over an hour after the call ended', evidence: all }),
    ],
  };
};

/** The report in words. Every format shows all of these lines; a figure that is null has no line. */
export const sectionsOf = (report: ReportView): Section[] => {
  const rows = rowsOf(report);
  return (Object.keys(TITLES) as SectionId[])
    .map((id) => ({ id, title: TITLES[id], rows: rows[id] }))
    .filter((section) => section.rows.length > 0);
};
