import type { NamedFigures } from '../figures/figures.ts';
import { formatCount } from './describe-change.ts';

type Counted = Pick<NamedFigures, 'missedPercent' | 'numbers'>;

/** How many inbound calls nobody answered, and their share of all ended calls. Null if no call has ended. */
export const unansweredOf = ({ missedPercent, numbers }: Counted): { calls: number; share: string } | null =>
  missedPercent === null
    ? null
    : {
        calls: numbers.reduce((total, { missed }) => total + missed, 0),
        share: `${formatCount(missedPercent)}% of inbound calls that have ended`,
      };
