import { type Html, html } from '../../platform/index.ts';
import { moment } from '../moment.ts';
import type { Person } from '../person.ts';
import type { Overview } from './load-overview.ts';

/** One thing that somebody has to do, with the place where it is done. */
type Task = { tone: 'warn' | 'bad'; words: Html; href: string; action: string };

const SOON_MS = 14 * 24 * 3_600_000;

const connectionTasks = ({ connections, now }: Overview, timeZone: string): Task[] =>
  connections.flatMap(({ provider, name, status, reconnectBefore }): Task[] => {
    const href = `/integrations/${provider}`;
    if (status === 'needs_reconnect')
      return [{ tone: 'bad', words: html`<strong>${name}</strong> must be connected again.`, href, action: 'Connect' }];
    const before = reconnectBefore === null ? null : Date.parse(reconnectBefore);
    if (before === null || before - now > SOON_MS) return [];
    const words = html`<strong>${name}</strong> must be connected again before ${moment(before, timeZone)}.`;
    return [{ tone: 'warn', words, href, action: 'Connect' }];
  });

const waitingTask = ({ waiting, moreWait }: Overview): Task[] => {
  if (waiting.length === 0) return [];
  const which = waiting.length === 1 ? '1 call waits' : `${moreWait ? 'More than ' : ''}${waiting.length} calls wait`;
  return [
    {
      tone: 'warn',
      words: html`<strong>${which}</strong> to be returned.`,
      href: '/calls?waiting=1',
      action: 'See who',
    },
  ];
};

/** What a provider sends is refused: calls may be missing here. */
const refusalTasks = ({ refused }: Overview): Task[] =>
  refused.map(({ id, accountId, provider }) => ({
    tone: 'bad',
    words: html`Requests for the telephony account <strong>${accountId ?? provider}</strong> were refused since yesterday.`,
    href: `/settings/telephony/accounts/${id}`,
    action: 'See why',
  }));

/** What must be done, the most urgent first. Only an admin can do something about telephony. */
export const listTasks = ({ role, team }: Person, overview: Overview): Task[] =>
  [
    ...connectionTasks(overview, team.timeZone),
    ...(role === 'admin' ? refusalTasks(overview) : []),
    ...waitingTask(overview),
  ].sort((left, right) => Number(right.tone === 'bad') - Number(left.tone === 'bad'));

export const tasksSection = (tasks: readonly Task[]): Html =>
  tasks.length === 0
    ? html`<p class="all-well"><span class="state good">Nothing waits for you.</span></p>`
    : html`<ul class="tasks">${tasks.map(
        ({ tone, words, href, action }) =>
          html`<li class="${tone}"><p>${words}</p><a class="button plain" href="${href}">${action}</a></li>
`,
      )}</ul>`;
