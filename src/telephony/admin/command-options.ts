import type { CommandInput } from '../../platform/index.ts';
import type { Administration } from './administration.ts';

export type Options = CommandInput['options'];

export const optionText = (options: Options, name: string): string | undefined => {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
};

/** Opens the use cases, and finds the team that `--team` names. Called when a command runs. */
export type OpenTeam = (options: Options) => Promise<Administration & { teamId: string }>;
