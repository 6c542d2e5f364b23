import assert from 'node:assert/strict';
import type { App } from '../../src/app.ts';
import { sealDelivery } from '../../src/telephony/processing/delivery-payload.ts';
import { DELIVERIES, deliveryValues } from '../../src/telephony/processing/delivery-store.ts';
import { twilio } from '../../src/telephony/providers/twilio/index.ts';
import { type Chapter, type StoryAccount, signChapter } from './telephony-stories.ts';

export type Phone = StoryAccount & { teamId: string };

const readChapter = (account: StoryAccount, chapter: Chapter) => {
  const { method, url, headers, payload } = signChapter(account, chapter);
  const route = chapter.path.endsWith('/voice') ? ('voice' as const) : ('recording' as const);
  return { route, method, target: url, headers, body: Buffer.from(payload) };
};

/** Stored as a process leaves it once it's acknowledged, and no further. */
export const storeUnprocessed = async (
  { database, vault, clock }: Pick<App, 'database' | 'vault' | 'clock'>,
  phone: Phone,
  chapters: readonly Chapter[],
) => {
  const told = await Promise.all(
    chapters.map(async (chapter) => {
      const delivery = readChapter(phone, chapter);
      const kept = { receivedAt: clock.now(), secretId: 'secret' };
      return sealDelivery(vault, { provider: twilio, delivery }, phone, kept);
    }),
  );
  const outcomes = await database.insertRows(DELIVERIES, told.map(deliveryValues));
  assert.ok(outcomes.every((outcome) => outcome === 'inserted'));
  return told;
};
