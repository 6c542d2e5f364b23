import type { BucketSettings } from '../../platform/index.ts';
import type { TelephonyContext } from '../context.ts';
import type { RecordingStorage } from '../contract/recording-storage.ts';
import { createRecordingBucket } from './recording-bucket.ts';
import { createRecordingFiles } from './recording-files.ts';

/** The bucket, if there is one, or else the folder for recordings. */
export const createRecordingStorage = (
  context: Pick<TelephonyContext, 'recordingsFolder' | 'clock' | 'outbound'>,
  bucket: BucketSettings | null,
): RecordingStorage => (bucket ? createRecordingBucket(context, bucket) : createRecordingFiles(context));
