import { Type } from 'typebox';
import { defineJob } from '../jobs/index.ts';

export const fetchRecording = defineJob({
  name: 'fetch-recording',
  payload: Type.Object({ teamId: Type.String(), recordingId: Type.String() }),
});
