import type { Engine } from '../../src/platform/index.ts';
import { SECRETS } from './app.ts';
import { createTestStore } from './databases.ts';

/** Where there is no database yet, with the settings of a command that creates one. */
export const createEmptyPlace = async (engine: Engine) => {
  const { settings, remove } = await createTestStore(engine, { migrated: false });
  const env = { ...SECRETS, PATCHBAY_DATA: settings.dataDirectory, DATABASE_URL: settings.url?.reveal() ?? '' };
  return { settings, env, remove };
};

export type EmptyPlace = Awaited<ReturnType<typeof createEmptyPlace>>;
