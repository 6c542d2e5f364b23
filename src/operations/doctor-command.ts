import { type Command, printTable } from '../platform/index.ts';
import { checkCollector } from './check-collector.ts';
import { checkBackups, checkDisk, checkJournal, checkRecordings } from './check-files.ts';
import { checkTranscriber } from './check-transcriber.ts';
import {
  checkDatabase,
  checkKeys,
  checkMailServer,
  checkPause,
  checkPublicAddress,
  checkSettings,
  checkTeamsOfIssuer,
  type DoctorContext,
} from './doctor-checks.ts';
import { examine, type Finding } from './finding.ts';

export const doctorCommand = (open: () => Promise<DoctorContext>): Command => ({
  name: 'doctor',
  about:
    'Checks settings, database, pause, keys, clock, disk, journal, recordings, mail, collector, transcripts, backups, and public address, and tells you what to fix.',
  async run() {
    const context = await open();
    const { database, data } = context;
    const findings: Finding[] = [
      checkSettings(context),
      await examine('database', 'Check that it is running and DATABASE_URL is right.', () => checkDatabase(database)),
      await examine('pause', '', () => checkPause(database)),
      await examine('keys', '', () => checkKeys(context)),
      await examine('identity provider', '', () => checkTeamsOfIssuer(context)),
      checkDisk(data),
      await examine('journal', '', () => checkJournal(context)),
      await examine('recordings', context.checkBucket ? 'Check the S3_* settings and the bucket.' : '', () =>
        checkRecordings(context),
      ),
      await checkMailServer(context),
      await examine('collector', 'Check OTEL_EXPORTER_OTLP_ENDPOINT and the collector.', () => checkCollector(context)),
      await examine('transcripts', 'Check TRANSCRIBE_URL and the server.', () => checkTranscriber(context)),
      await examine('backups', '', () => checkBackups(context)),
      await checkPublicAddress(context),
    ].flat();
    const healthy = findings.every(({ state }) => state !== 'trouble');
    const rows = findings.map(({ check, state, message }) => [state, check, message]);
    return {
      text: printTable(['state', 'check', 'finding'], rows),
      json: { healthy, findings },
      exitCode: healthy ? 0 : 1,
    };
  },
});
