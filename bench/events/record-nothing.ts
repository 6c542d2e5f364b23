import type { Recorder } from '../../src/events/index.ts';

export { dataPlaceOf } from '../../src/events/log/record-events.ts';

export const createRecorder = (): Recorder => ({
  record: async () => [],
  recordErasure: async () => undefined,
});
