import { Refusal } from '../../../platform/index.ts';

export const neverOpen = (): Refusal =>
  new Refusal(
    400,
    'dashboard.never_open',
    'All seven days are empty or closed. Give the hours of one day at least, or choose “No fixed hours”.',
  );
