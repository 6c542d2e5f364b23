import type { TeamEraser, TeamToErase } from '../../teams/index.ts';
import { deleteAccountsOfTeam, listAllAccountIds, removeAccountsOfTeam } from '../accounts/account-store.ts';
import { deleteHeldOfTeam } from '../accounts/held-store.ts';
import { deleteNumbersOfTeam } from '../accounts/number-store.ts';
import { deleteRefusalsOfTeam } from '../accounts/refusal-store.ts';
import { insertAudioToRemove } from '../audio/audio-to-remove-store.ts';
import { deletePayloadBytesOfTeam } from '../budget/payload-bytes-store.ts';
import { deleteRecordingBytes } from '../budget/recording-bytes-store.ts';
import { deleteCallsOfTeam } from '../calls/call-store.ts';
import type { TelephonyContext } from '../context.ts';
import { recordingKey } from '../contract/recording-storage.ts';
import { deleteLogsOfTeam } from '../people/log-store.ts';
import { deletePersonsOfTeam } from '../people/person-store.ts';
import { deleteDeliveriesOfTeam } from '../processing/delivery-store.ts';
import { deleteErasedCallsOfTeam } from '../processing/erased-call-store.ts';
import { deleteRecordings, listRecordingsOfTeam, markBeingErased } from '../recordings/recording-store.ts';

const PAGE = 100;
/** How long an unavailable storage may delay a team's erasure. Same as `REVOCATION_KEPT_MS`. */
const LATEST_MS = 7 * 24 * 3_600_000;

/**
 * Removes the audio before its row, because without the row nobody would find it. After seven days, audio that the
 * storage can't remove is listed in `audio_to_remove` instead, so that the rest of the team can be erased.
 */
const eraseRecordings = async (
  { database, storage, clock, log }: TelephonyContext,
  { teamId, erasingAt, pace }: TeamToErase,
): Promise<void> => {
  let isAway = false;
  const removeOrList = async (keys: readonly string[]): Promise<void> => {
    const left: string[] = [];
    for (const key of keys) {
      // After the first failure, the storage isn't tried again in this run. With thousands of recordings, the failures
      // would take too long.
      if (!isAway)
        await storage.remove(key).catch((err) => {
          if (clock.now() < erasingAt + LATEST_MS) throw err;
          log.error({ err, team: teamId }, 'audio of a deleted team stays in the storage until it can be removed');
          isAway = true;
        });
      if (isAway) left.push(key);
    }
    if (left.length > 0) await insertAudioToRemove(database, left, clock.now());
  };
  const listPage = () => listRecordingsOfTeam(database, teamId, PAGE);
  for (let page = await listPage(); page.length > 0; page = await listPage()) {
    await markBeingErased(database, page);
    // Also removes audio of recordings that aren't archived: a process may have ended after it stored the audio, and
    // before it marked the recording as archived.
    await removeOrList(page.filter(({ state }) => state !== 'removed').map(recordingKey));
    await deleteRecordings(database, page);
    await pace();
  }
};

/** Erases a team: first its accounts, so that its webhooks are refused, then everything that came through them. */
export const createCallEraser = (context: TelephonyContext): TeamEraser => {
  const { database, clock, log, storage, switchboard } = context;
  return {
    end: (tx, teamId) => removeAccountsOfTeam(tx, teamId, clock.now()),
    forget: () => switchboard.refresh().catch((err) => log.warn({ err }, 'a deleted team is not forgotten yet')),
    async erase(team) {
      const { teamId, isSettled, pace } = team;
      const accountIds = await listAllAccountIds(database, teamId);
      await deletePersonsOfTeam(database, teamId, pace);
      await deleteLogsOfTeam(database, teamId, pace);
      await deleteCallsOfTeam(database, teamId, pace);
      await deleteDeliveriesOfTeam(database, { teamId, accountIds }, pace);
      await deleteErasedCallsOfTeam(database, teamId, pace);
      await deleteHeldOfTeam(database, teamId, pace);
      await deleteRefusalsOfTeam(database, teamId, pace);
      await deleteNumbersOfTeam(database, teamId, pace);
      // Recordings come after everything that needs no storage, because the storage may be unavailable.
      await eraseRecordings(context, team);
      await storage.forgetTeam(teamId);
      await deletePayloadBytesOfTeam(database, teamId, pace);
      await deleteRecordingBytes(database, teamId);
      // Until the team is settled, a request that began earlier may still store a delivery. A later run finds that
      // delivery by its account, so the account's row stays.
      if (isSettled) await deleteAccountsOfTeam(database, teamId, pace);
      return 0;
    },
  };
};
