import type { Routes } from '../../http/index.ts';
import { NumberChange, NumberWish } from '../accounts/numbers.ts';
import type { Administration } from './administration.ts';
import { managedRoutes } from './managed-routes.ts';
import { NumberView } from './number-view.ts';

const about = {
  list: { summary: "List the team's numbers and how each is answered" },
  get: { summary: 'Get a number' },
  create: {
    summary: 'Add a number',
    description:
      "Without `answer`, callers can leave a message. If `hours.open` is null, the team's business hours apply. Outside them, `hours.outside` overrides the other settings.",
  },
  change: {
    summary: 'Change a number',
    description: '`answer` replaces all the answering settings. They apply from the next call on.',
  },
  remove: { summary: 'Remove a number' },
};

export const numberRoutes =
  ({ numbers }: Administration): Routes =>
  (server) =>
    managedRoutes(server, 'numbers', about, { view: NumberView, wish: NumberWish, change: NumberChange }, numbers);
