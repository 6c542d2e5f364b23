import assert from 'node:assert/strict';
import type { App } from '../../src/app.ts';
import { deliveryIdOf, sealPayload } from '../../src/telephony/processing/delivery-payload.ts';
import { DELIVERIES, type DeliveryRow, deliveryValues } from '../../src/telephony/processing/delivery-store.ts';
import { twilio } from '../../src/telephony/providers/twilio/index.ts';
import { type Chapter, type StoryAccount, signChapter } from './telephony-stories.ts';

export type Phone = StoryAccount & { teamId: string };

const readChapter = (account: StoryAccount, chapter: Chapter) => {
  const { method, url, headers, payload } = signChapter(account, chapter);
  const route = chapter.path.endsWith('/voice') ? ('voice' as const) : ('recording' as const);
  return { route, method, target: url, headers, body: Buffer.from(payload) };
};

/** Stored as it is when a process has acknowledged it, and no more. */
export const storeUnprocessed = async (
  { database, vault, clock }: Pick<App, 'database' | 'vault' | 'clock'>,
  phone: Phone,
  chapters: readonly Chapter[],
) => {
  const told = await Promise.all(
    chapters.map(async (chapter) => {
      const delivery = readChapter(phone, chapter);
      const receivedAt = clock.now();
      const id = deliveryIdOf(phone.id, twilio.keyOf(delivery));
      return {
        id,
        teamId: phone.teamId,
        accountId: phone.id,
        provider: 'twilio',
        route: delivery.route,
        receivedAt,
        secretId: 'secret',
        payload: await sealPayload(vault, phone.teamId, id, delivery),
      } satisfies DeliveryRow;
    }),
  );
  const outcomes = await database.insertRows(DELIVERIES, told.map(deliveryValues));
  assert.ok(outcomes.every((outcome) => outcome === 'inserted'));
  return told;
};
