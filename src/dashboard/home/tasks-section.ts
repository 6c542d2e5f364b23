import { connectionTitle } from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { boundedCount, messageCount } from '../calls/calls-table.ts';
import { card } from '../display/card.ts';
import { momentInText } from '../display/moment.ts';
import type { Region } from '../display/region.ts';
import { state } from '../parts.ts';
import type { Person } from '../person.ts';
import type { Overview } from './load-overview.ts';

/** A task, and the page to do it on. */
type Task = { tone: 'warn' | 'bad'; title: Html | string; detail: Html | string | null; href: string; action: string };

const SOON_MS = 14 * 24 * 3_600_000;
/** How many tasks are shown, most urgent first. */
const MOST_TASKS = 6;

const connectionTasks = ({ connections, now }: Overview, region: Region): Task[] =>
  connections.flatMap((one): Task[] => {
    const { provider, status, lastError } = one;
    const title = `${connectionTitle(one)} needs to be reconnected`;
    const task = { title, href: `/integrations/${provider}`, action: 'Reconnect' };
    if (status === 'needs_reconnect') return [{ ...task, tone: 'bad', detail: lastError }];
    const before = one.reconnectBefore === null ? null : Date.parse(one.reconnectBefore);
    if (before === null || before - now > SOON_MS) return [];
    return [{ ...task, tone: 'warn', detail: html`Access ends ${momentInText(before, region)}.` }];
  });

const waitingTask = ({ waiting }: Overview): Task[] => {
  const { callers, messages } = waiting;
  return callers === 0
    ? []
    : [
        {
          tone: 'warn',
          title: callers === 1 ? '1 caller needs a call back' : `${boundedCount(callers)} callers need a call back`,
          detail: messages === 0 ? null : `${messageCount(waiting)} left a message.`,
          href: '/calls?waiting=1&order=oldest',
          action: 'See who',
        },
      ];
};

/** Tasks about refused requests from a provider, which may mean that calls are missing. */
const refusalTasks = ({ refused }: Overview): Task[] =>
  refused.map(({ id, accountId, provider }) => ({
    tone: 'bad',
    title: `Requests for the telephony account ${accountId ?? provider} were refused`,
    detail: 'In the last 24 hours. Calls may be missing.',
    href: `/settings/telephony/accounts/${id}`,
    action: 'See why',
  }));

const STORED = { payloads: 'original requests', recordings: 'recordings' } as const;

const storageTasks = ({ storage }: Overview): Task[] =>
  (['payloads', 'recordings'] as const)
    .filter((stored) => storage[stored].isFull)
    .map((stored) => ({
      tone: 'bad',
      title: `Your team has reached its limit for ${STORED[stored]}`,
      detail: null,
      href: '/settings/telephony#storage',
      action: 'See storage',
    }));

/** Lists tasks, most urgent first. Tasks about telephony are only for admins. */
export const listTasks = ({ role, region }: Person, overview: Overview): Task[] =>
  [
    ...connectionTasks(overview, region),
    ...(role === 'admin' ? [...refusalTasks(overview), ...storageTasks(overview)] : []),
    ...waitingTask(overview),
  ].sort((left, right) => Number(right.tone === 'bad') - Number(left.tone === 'bad'));

const taskItem = ({ tone, title, detail, href, action }: Task): Html =>
  html`<li class="${tone}"><div><h3>${title}</h3>${detail !== null && html`<p class="quiet">${detail}</p>`}</div><a class="button${tone === 'warn' && ' plain'}" href="${href}">${action}</a></li>
`;

export const tasksSection = (tasks: readonly Task[]): Html => {
  if (tasks.length === 0)
    return card({
      title: 'To do',
      content: html`<p class="all-well">${state('good', "You're all caught up.")}</p>
<p class="quiet">Callers who need a call back and connections that stop working show up here.</p>`,
    });
  const rest = tasks.length - MOST_TASKS;
  return card({
    title: 'To do',
    count: tasks.length,
    isFlush: true,
    content: html`<ul class="tasks">${tasks.slice(0, MOST_TASKS).map(taskItem)}${rest > 0 && html`<li><p class="quiet">And ${rest} more, less urgent.</p></li>`}</ul>`,
  });
};
