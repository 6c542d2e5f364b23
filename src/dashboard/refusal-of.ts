import { Refusal } from '../platform/index.ts';

/** Why it was refused, or null if it wasn't. */
export const refusalOf = async (work: () => unknown): Promise<Refusal | null> => {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
};
