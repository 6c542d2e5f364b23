import type { DescribedAlert } from './describe-alert.ts';

/** The content of one message. */
export type Notice = {
  team: string;
  opened: readonly DescribedAlert[];
  resolved: readonly DescribedAlert[];
  /** How many opened and resolved alerts are not listed. */
  more: { opened: number; resolved: number };
  links: { open: string; settings: string };
};

const resolutionOf = ({ title, resolution }: DescribedAlert): string => resolution ?? title;

/** Formats a count: “1,212 more”. */
const formatMore = (count: number): string => `${count.toLocaleString('en')} more`;

/** The most important alert in one line. New alerts come before resolved ones. */
export const headlineOf = ({ opened, resolved, more }: Notice): string => {
  const lines = [...opened.map(({ title }) => title), ...resolved.map(resolutionOf)];
  const [first] = lines;
  const others = Math.max(0, lines.length - 1) + more.opened + more.resolved;
  if (first === undefined) return `${formatMore(others)} alerts`;
  return others > 0 ? `${first}, and ${formatMore(others)}` : first;
};

export type NoticeItem = { title: string; lines: readonly string[]; link: { url: string; name: string } | null };
export type NoticeSection = { title: string | null; items: readonly NoticeItem[]; more: string | null };

const toItem = ({ title, detail, nextStep, url, action }: DescribedAlert): NoticeItem => ({
  title,
  lines: [detail, nextStep].filter((line) => line !== null),
  link: { url, name: action },
});

const moreOf = (count: number): string | null => (count > 0 ? `and ${formatMore(count)}` : null);

/** The content of a notice, the same for email and Slack. */
export const noticeSectionsOf = ({ opened, resolved, more }: Notice): NoticeSection[] => {
  const isMixed = opened.length > 0 && resolved.length > 0;
  const sections: NoticeSection[] = [
    { title: null, items: opened.map(toItem), more: moreOf(more.opened) },
    {
      title: isMixed ? 'Resolved' : null,
      items: resolved.map((alert) => ({ title: resolutionOf(alert), lines: [], link: null })),
      more: moreOf(more.resolved),
    },
  ];
  return sections.filter(({ items, more: rest }) => items.length > 0 || rest !== null);
};
