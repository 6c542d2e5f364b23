import type { Command } from '../../platform/index.ts';
import { pickTeam } from '../../teams/index.ts';
import type { TelephonyContext } from '../context.ts';
import { accountCommands } from './account-commands.ts';
import type { Administration } from './administration.ts';
import type { OpenTeam } from './command-options.ts';
import { numberCommands } from './number-commands.ts';

export const telephonyCommands = (
  open: () => Promise<Pick<TelephonyContext, 'database'> & { telephony: Administration }>,
): Command[] => {
  const openTeam: OpenTeam = async ({ team }) => {
    const app = await open();
    return { ...app.telephony, teamId: await pickTeam(app, team) };
  };
  return [...accountCommands(openTeam), ...numberCommands(openTeam)];
};
