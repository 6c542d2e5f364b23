import type { BucketSettings } from '../../platform/index.ts';
import type { TelephonyContext } from '../context.ts';
import type { RecordingStorage } from '../contract/recording-storage.ts';
import { createRecordingBucket } from './recording-bucket.ts';
import { createRecordingFiles } from './recording-files.ts';

/** Creates the storage for recordings: the bucket, if there is one, or else a folder. */
export const createRecordingStorage = (
  context: Pick<TelephonyContext, 'recordingsFolder' | 'clock' | 'outbound'>,
  bucket: BucketSettings | null,
): RecordingStorage => (bucket ? createRecordingBucket(context, bucket) : createRecordingFiles(context));
