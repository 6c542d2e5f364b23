import { Refusal } from '../../../platform/index.ts';

export const neverOpen = (): Refusal =>
  new Refusal(
    400,
    'dashboard.never_open',
    'All seven days are empty or closed. Enter hours for at least one day, or choose “No fixed hours”.',
  );
