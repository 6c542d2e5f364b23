import { type CommandInput, UsageRefused } from './command.ts';

/** The option `--yes`, for commands that destroy something. */
export const yesOption = { yes: { type: 'boolean', about: "required, because this can't be undone" } } as const;

/** Throws without `--yes`. `effect` is a sentence that says what is about to be destroyed. */
export const requireYes = ({ yes }: CommandInput['options'], effect: string): void => {
  if (yes !== true) throw new UsageRefused(`${effect} Add --yes.`);
};
