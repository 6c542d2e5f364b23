import { connectionTitle } from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { momentInText } from '../display/moment.ts';
import type { Region } from '../display/region.ts';
import { state } from '../parts.ts';
import type { Person } from '../person.ts';
import type { Overview } from './load-overview.ts';

/** Something to do, and where to do it. */
type Task = { tone: 'warn' | 'bad'; words: Html; href: string; action: string };

const SOON_MS = 14 * 24 * 3_600_000;

const connectionTasks = ({ connections, now }: Overview, region: Region): Task[] =>
  connections.flatMap(({ provider, connection, name, status, reconnectBefore }): Task[] => {
    const title = html`<strong>${connectionTitle({ name, connection })}</strong>`;
    const task = { href: `/integrations/${provider}`, action: 'Reconnect' };
    if (status === 'needs_reconnect') return [{ ...task, tone: 'bad', words: html`${title} needs to be reconnected.` }];
    const before = reconnectBefore === null ? null : Date.parse(reconnectBefore);
    if (before === null || before - now > SOON_MS) return [];
    const words = html`${title} needs to be reconnected before ${momentInText(before, region)}.`;
    return [{ ...task, tone: 'warn', words }];
  });

const waitingTask = ({ waiting, moreWait }: Overview): Task[] => {
  if (waiting.length === 0) return [];
  const which = waiting.length === 1 ? '1 call' : `${moreWait ? 'more than ' : ''}${waiting.length} calls`;
  const words = html`You have <strong>${which}</strong> to return.`;
  return [{ tone: 'warn', words, href: '/calls?waiting=1', action: 'See calls' }];
};

/** A provider's requests are being refused, so calls may be missing. */
const refusalTasks = ({ refused }: Overview): Task[] =>
  refused.map(({ id, accountId, provider }) => ({
    tone: 'bad',
    words: html`Requests for the telephony account <strong>${accountId ?? provider}</strong> were refused in the last 24 hours.`,
    href: `/settings/telephony/accounts/${id}`,
    action: 'See why',
  }));

const storageTasks = ({ storage }: Overview): Task[] =>
  (['payloads', 'recordings'] as const)
    .filter((stored) => storage[stored].isFull)
    .map((stored) => ({
      tone: 'bad',
      words: html`Your team has reached its limit for <strong>${stored}</strong>.`,
      href: '/settings/telephony#storage',
      action: 'See storage',
    }));

/** What needs to be done, most urgent first. Only an admin can do anything about telephony. */
export const listTasks = ({ role, region }: Person, overview: Overview): Task[] =>
  [
    ...connectionTasks(overview, region),
    ...(role === 'admin' ? [...refusalTasks(overview), ...storageTasks(overview)] : []),
    ...waitingTask(overview),
  ].sort((left, right) => Number(right.tone === 'bad') - Number(left.tone === 'bad'));

export const tasksSection = (tasks: readonly Task[]): Html =>
  tasks.length === 0
    ? html`<p class="all-well">${state('good', html`You're all caught up.`)}</p>`
    : html`<ul class="tasks">${tasks.map(
        ({ tone, words, href, action }) =>
          html`<li class="${tone}"><p>${words}</p><a class="button plain" href="${href}">${action}</a></li>
`,
      )}</ul>`;
