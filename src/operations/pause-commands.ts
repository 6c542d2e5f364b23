import {
  type Clock,
  type Command,
  type Database,
  type NewId,
  PAUSED_ADVICE,
  type Pause,
  type Paused,
  readPaused,
  toIso,
} from '../platform/index.ts';
import { COMMAND_LINE, recordAudit } from '../teams/index.ts';

type PauseContext = { database: Database; clock: Clock; newId: NewId; pause: Pause };

const PAUSED = 'Running processes notice within two seconds, and finish what they have begun.';
const MOST_REASON = 200;

const readReason = (value: string | boolean | undefined): string =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, MOST_REASON) : 'An operator paused it.';

export const pauseCommands = (open: () => Promise<PauseContext>): Command[] => {
  const change = async (context: PauseContext, paused: Paused | null): Promise<void> => {
    await context.database.transaction(async (tx) => {
      await context.pause.set(tx, paused);
      await recordAudit(context, tx, null, COMMAND_LINE, { action: paused ? 'service.pause' : 'service.resume' });
    });
  };

  return [
    {
      name: 'pause',
      about:
        'Pauses the service: it serves and shows everything and answers calls, but refreshes, sends, and reports nothing.',
      options: { reason: { type: 'string', about: 'what people see on every page' } },
      async run({ options }) {
        const context = await open();
        const before = await readPaused(context.database);
        const paused = before ?? { at: context.clock.now(), reason: readReason(options['reason']) };
        if (!before) await change(context, paused);
        const since = toIso(paused.at);
        return {
          text: before
            ? `The service has been paused since ${since}. ${paused.reason}`
            : `The service is paused. ${PAUSED} ${PAUSED_ADVICE}`,
          json: { paused: true, since, reason: paused.reason, changed: !before },
        };
      },
    },
    {
      name: 'resume',
      about:
        'Ends a pause. Make sure first that no other copy of this service is running: both would use the same tokens.',
      async run() {
        const context = await open();
        const before = await readPaused(context.database);
        if (before) await change(context, null);
        return {
          text: before
            ? 'The service is no longer paused. Running processes notice within two seconds, and do what has waited.'
            : 'The service is not paused.',
          json: { paused: false, since: null, reason: null, changed: before !== null },
        };
      },
    },
  ];
};
