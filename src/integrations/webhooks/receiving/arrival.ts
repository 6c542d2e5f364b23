import type { MessageItem, Verified } from '../reading/read-message.ts';

/** A verified message that has arrived at an address. */
export type ArrivedMessage = {
  provider: string;
  /** The ID of a team's address, or the provider for the operator's. Repeated items are recognized within it. */
  address: string;
  /** The team whose address it is. Null for the operator's. */
  teamId: string | null;
  receivedAt: number;
  verified: Verified;
  items: readonly MessageItem[];
};

/** What became of an arrival. */
export type Recorded = {
  outcome: 'recorded' | 'repeated' | 'unmatched' | 'empty';
  /** The name of the connection that the last item was about. */
  connection: string | null;
};
