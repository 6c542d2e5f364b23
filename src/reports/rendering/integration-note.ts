import { toOneLine } from '../../mail/index.ts';
import { momentWords, type TimeStyle } from '../../platform/index.ts';
import type { NamedFigures } from '../figures/figures.ts';
import { formatCount } from './describe-change.ts';
import { clip, LONGEST_NOTE } from './row.ts';

type Standing = Pick<
  NamedFigures['integrations'][number],
  'problem' | 'reconnectBefore' | 'troubleSince' | 'refreshFailures'
>;

const sentencesIn = (text: string): string[] =>
  toOneLine(text)
    .split(/(?<=[.!?])\s+(?=\p{Lu})/u)
    .map((sentence) => (/[.!?…]$/.test(sentence) ? sentence : `${sentence}.`));

const lengthOf = (text: string): number => [...text].length;

/** Shortens a sentence that is too long: first drops a code in parentheses at its end, then cuts the sentence. */
const fit = (sentence: string): string => {
  if (lengthOf(sentence) <= LONGEST_NOTE) return sentence;
  return clip(sentence.replace(/ \([^()]*\)(?=\.$)/, ''), LONGEST_NOTE);
};

/**
 * Describes what is wrong with a connection, in as many whole sentences as fit, most important first. Leaves out
 * sentences that `mayShow` refuses: one of them may have a code that the provider chose.
 */
export const integrationNote = (
  { problem, reconnectBefore, troubleSince, refreshFailures }: Standing,
  style: TimeStyle,
  mayShow: (sentence: string) => boolean,
): string | null => {
  const [what = '', ...advice] = problem ? sentencesIn(problem).filter(mayShow) : [];
  const sentences = [
    fit(what),
    troubleSince && `Failing since ${momentWords(Date.parse(troubleSince), style)}.`,
    reconnectBefore && `Reconnect before ${momentWords(Date.parse(reconnectBefore), style)}.`,
    refreshFailures > 0 && `Refresh failures in a row: ${formatCount(refreshFailures)}.`,
    ...advice,
  ].filter((sentence): sentence is string => Boolean(sentence));
  const shown = sentences.filter((_, index) => lengthOf(sentences.slice(0, index + 1).join(' ')) <= LONGEST_NOTE);
  return shown.join(' ') || null;
};
