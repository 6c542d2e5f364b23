import type { CommandInput } from '../../platform/index.ts';
import type { Administration } from './administration.ts';

export type Options = CommandInput['options'];

export const optionText = (options: Options, name: string): string | undefined => {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
};

/** Opens the use cases for the team that `--team` picks, when a command runs. */
export type OpenTeam = (options: Options) => Promise<Administration & { teamId: string }>;
