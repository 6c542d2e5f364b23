import { Refusal } from '../platform/index.ts';

/** Runs the work. Returns its refusal, or null if it succeeds. */
export const refusalOf = async (work: () => unknown): Promise<Refusal | null> => {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
};
