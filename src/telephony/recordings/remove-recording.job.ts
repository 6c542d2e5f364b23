import { defineJob, type JobContext } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import { recordAudit, SERVICE } from '../../teams/index.ts';
import type { TelephonyAccount } from '../accounts/account.ts';
import { getAccount } from '../accounts/account-store.ts';
import { openAccount } from '../accounts/open-account.ts';
import type { TelephonyContext } from '../context.ts';
import type { MediaLookup } from '../contract/provider.ts';
import { aimMediaRequest, allowsHost } from './aim-media-request.ts';
import { bringToken } from './bring-token.ts';
import { openMediaUrl } from './media-url.ts';
import { getRecording, markRemovedAtProvider, type RecordingRow } from './recording-store.ts';

const REMOVE_MS = 30_000;
const MOST_BYTES = 256 * 1024;

/** Deletes a recording at the provider once it is archived here. The job gives up after about ten days. */
export const removeRecording = defineJob({
  name: 'remove-recording',
  payload: Type.Object({ teamId: Type.String(), recordingId: Type.String() }),
  attempts: 60,
  firstRetryMs: 60_000,
  mostRetryMs: 6 * 3_600_000,
});

/** Finds the request that deletes a recording. Null if the account is gone or the provider can't delete any. */
const findRemoval = async (
  { database, vault, providers }: TelephonyContext,
  recording: RecordingRow,
): Promise<{ media: MediaLookup; api: TelephonyAccount['api'] } | null> => {
  const { teamId, accountId, externalId, callKey } = recording;
  const row = await getAccount(database, teamId, accountId);
  const provider = providers.find(({ id }) => id === recording.provider);
  if (!row || !provider) return null;
  const account = await openAccount(vault, row);
  const locator = { recordingId: externalId, mediaUrl: await openMediaUrl(vault, recording), callKey };
  const media = await provider.removalOf(locator, account);
  return media && { media, api: account.api };
};

export const handleRemoveRecording =
  (context: TelephonyContext) =>
  async (
    { teamId, recordingId }: { teamId: string; recordingId: string },
    { signal }: Pick<JobContext, 'signal'>,
  ): Promise<void> => {
    const { database, clock, outbound } = context;
    const recording = await getRecording(database, teamId, recordingId);
    // Nothing is deleted at the provider before the recording is archived here.
    if (recording?.archivedAt == null || recording.removedAtProviderAt !== null) return;
    const removal = await findRemoval(context, recording);
    if (!removal) return;
    const { media, api } = removal;
    if ('missing' in media) throw new Error(`To delete recordings, the telephony account needs ${media.missing}.`);
    const aimed = await bringToken(context, aimMediaRequest(context, media, { api }), signal);
    if ('problem' in aimed) throw new Error(aimed.problem);
    const { url, headers, hosts } = aimed;
    const { status } = await outbound.request({
      method: 'DELETE',
      url,
      headers,
      hosts: allowsHost(hosts),
      timeoutMs: REMOVE_MS,
      mostBytes: MOST_BYTES,
      signal,
    });
    const host = new URL(url).hostname;
    const isGone = (status >= 200 && status < 300) || status === 404 || status === 410;
    if (!isGone) throw new Error(`${host} didn't delete the recording (${status}).`);
    await database.transaction(async (tx) => {
      await markRemovedAtProvider(tx, teamId, recordingId, clock.now());
      await recordAudit(context, tx, teamId, SERVICE, {
        action: 'recording.remove_at_provider',
        target: recordingId,
        detail: { provider: recording.provider, host, status },
      });
    });
  };
