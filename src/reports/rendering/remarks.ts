import type { ReportView } from '../figures/view-report.ts';

type Remarked = Pick<ReportView, 'isOver' | 'predatesTeam' | 'figures'>;

/** What a reader should know about all the figures: said once, before them. */
export const remarksOf = ({ isOver, predatesTeam, figures }: Remarked): string[] => [
  ...(isOver ? [] : ["This week isn't over yet: these are the figures so far."]),
  ...(figures.calls.inbound.before === null && !predatesTeam
    ? ["This is your team's first week, so there's no earlier week to compare it with."]
    : []),
];
