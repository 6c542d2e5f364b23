import type { NewEvent } from '../../src/events/index.ts';

/** What happened at a connected account, as the receiver of webhooks records it. */
export const providerEvent = (
  teamId: string,
  {
    provider = 'github',
    topic = 'issues',
    connection = 'connection-1',
    ...rest
  }: {
    provider?: string;
    topic?: string;
    connection?: string;
    name?: string;
    account?: string | null;
    id?: string;
    payload?: string;
    type?: NewEvent['type'];
  } = {},
): NewEvent => {
  const { name = 'default', account = 'account-1', id = 'delivery-1', payload, type = 'provider.event' } = rest;
  return {
    ...{ teamId, type, subject: connection, from: { provider, topic } },
    data: {
      provider,
      connection: type === 'provider.event' ? name : null,
      account: account === null ? null : { id: account, label: account },
      type: topic,
      id,
      receivedAt: '2026-11-15T12:00:00.000Z',
      verified: 'signature',
    },
    ...(payload !== undefined && { payload }),
  };
};
