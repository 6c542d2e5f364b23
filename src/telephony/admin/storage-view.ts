import type { Static } from 'typebox';
import { Type } from '../../platform/index.ts';
import type { PayloadBudget } from '../budget/payload-budget.ts';
import { getRecordingBytes } from '../budget/recording-bytes-store.ts';
import type { TelephonyContext } from '../context.ts';

const Bytes = Type.Integer({ minimum: 0 });
const isFull = (description: string) => Type.Boolean({ description });

export const StorageView = Type.Object(
  {
    payloads: Type.Object({
      bytes: Bytes,
      mostBytes: Bytes,
      todayBytes: Type.Integer({ minimum: 0, description: 'Since midnight UTC' }),
      mostTodayBytes: Bytes,
      isFull: isFull('Of further deliveries, only the facts are kept'),
    }),
    recordings: Type.Object({
      bytes: Bytes,
      mostBytes: Bytes,
      isFull: isFull('Further recordings wait until there is room'),
    }),
  },
  { title: 'TelephonyStorage' },
);

export type StorageView = Static<typeof StorageView>;

/** Returns how much a team stores, and how much it can store. */
export const getStorageView = async (
  { database, limits, fullTeams, payloadBudget }: TelephonyContext & { payloadBudget: PayloadBudget },
  teamId: string,
): Promise<StorageView> => {
  const { total, today } = await payloadBudget.read(teamId);
  const recorded = await getRecordingBytes(database, teamId);
  const { payloadBytes, payloadBytesPerDay, recordingBytes } = limits;
  return {
    payloads: {
      bytes: Math.max(0, total),
      mostBytes: payloadBytes,
      todayBytes: Math.max(0, today),
      mostTodayBytes: payloadBytesPerDay,
      isFull: fullTeams.has('payloads', teamId) || total >= payloadBytes || today >= payloadBytesPerDay,
    },
    recordings: {
      bytes: recorded,
      mostBytes: recordingBytes,
      isFull: fullTeams.has('recordings', teamId) || recorded >= recordingBytes,
    },
  };
};
