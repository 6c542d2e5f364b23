import { Discard } from '../jobs/index.ts';
import type { Mailer } from '../platform/index.ts';

/** A letter to one person. */
export type Letter = { to: string; subject: string; text: string };

/** For jobs, which come back where it was not taken. Where no mail server is set, nothing is sent. */
export const sendLetter = async (mailer: Mailer | null, letter: Letter): Promise<void> => {
  const failure = await mailer?.send(letter, async () => undefined);
  if (failure?.kind === 'refused') throw new Discard(failure.problem);
  if (failure) throw new Error(failure.problem);
};

/** What a team is called, on one line. */
export const nameOnOneLine = (name: string): string => name.replaceAll(/\s+/g, ' ').trim();
