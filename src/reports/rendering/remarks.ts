import type { ReportView } from '../figures/view-report.ts';

type Remarked = Pick<ReportView, 'isOver' | 'predatesTeam' | 'demoCalls' | 'figures'>;

const ABOUT_DEMO: Readonly<Record<ReportView['demoCalls'], readonly string[]>> = {
  none: [],
  left_out: ['Demo calls are left out.'],
  counted: ['Your team has only demo calls so far, so this shows them. No report about them is sent.'],
};

/** Remarks that apply to all figures. Shown once, before them. */
export const remarksOf = ({ isOver, predatesTeam, demoCalls, figures }: Remarked): string[] => [
  ...ABOUT_DEMO[demoCalls],
  ...(isOver ? [] : ["This week isn't over yet: these are the figures so far."]),
  ...(figures.calls.inbound.before === null && !predatesTeam
    ? ["This is your team's first week, so there's no earlier week to compare it with."]
    : []),
];
