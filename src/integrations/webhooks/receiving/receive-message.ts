import { Secret, withinPatience } from '../../../platform/index.ts';
import { recordAudit, SERVICE } from '../../../teams/index.ts';
import { getAddress } from '../addresses/address-store.ts';
import { addSecret } from '../addresses/manage-address.ts';
import type { SeenReason } from '../addresses/refusal-words.ts';
import type { Sightings } from '../addresses/sightings.ts';
import { messageMalformed, messageNotKept, webhookSecretInvalid } from '../errors.ts';
import type { MessageFlaw } from '../reading/check-signature.ts';
import type { Message } from '../reading/message.ts';
import { readBeside } from '../reading/read-beside.ts';
import type { HandshakeReply } from '../reading/read-handshake.ts';
import { type ReadInput, type Reading, readMessage, type Seen } from '../reading/read-message.ts';
import { toSigningKey } from '../reading/signing-key.ts';
import type { ArrivedMessage, Recorded } from './arrival.ts';
import { type ArrivalKeeper, endWithdrawn } from './arrival-keeper.ts';
import type { Receiver } from './receiver.ts';
import type { RecordContext } from './record-arrivals.ts';

/** What became of a message, for metrics. */
export type WebhookOutcome = Recorded['outcome'] | 'handshake' | 'refused' | 'journaled' | 'lost';

export type ReceiveContext = RecordContext & {
  keeper: ArrivalKeeper;
  sightings: Sightings;
  onWebhook(provider: string, outcome: WebhookOutcome): void;
};

/** A message above this size is read in a thread of its own. */
export const MOST_READ_HERE = 256 * 1024;

/** How long a handshake can bring a secret after an admin has opened the address. */
const OPEN_MS = 3_600_000;

const NOTHING: HandshakeReply = { contentType: null, headers: {}, body: '' };

const read = (input: ReadInput): Promise<Reading> =>
  input.message.body.length > MOST_READ_HERE ? readBeside(input) : readMessage(input);

/** Keeps the secret that a handshake has brought to a team's address. */
const keepSecret = async (context: ReceiveContext, receiver: Receiver, text: string): Promise<void> => {
  const { database, forgetWebhooks } = context;
  const { teamId, provider, webhook } = receiver;
  const secret = new Secret(text);
  if (teamId === null || !webhook.signatures.some((signature) => toSigningKey(signature, secret) !== null))
    throw webhookSecretInvalid();
  await database.transaction(async (tx) => {
    const address = await getAddress(tx, teamId, provider, 'for update');
    if (address?.id !== receiver.id || !(await addSecret(context, tx, address, secret))) return;
    await recordAudit(context, tx, teamId, SERVICE, { action: 'integration.webhook.secret', target: provider });
    tx.afterCommit(forgetWebhooks);
  });
};

/** Says why a message was refused. Without a secret, that is the reason, whatever the message has. */
const toReason = ({ teamId, secretIds }: Receiver, flaw: MessageFlaw): SeenReason =>
  teamId !== null && secretIds.length === 0 ? 'no_secret' : flaw;

/** Notes that a message was accepted. A sign of life counts, too: it shows that the address and the secret work. */
const note = (
  { sightings }: ReceiveContext,
  receiver: Receiver,
  seen: Seen | null,
  connection: string | null,
): void => {
  if (!seen) return;
  const { type, key } = seen;
  sightings.delivered(receiver, { type, connection, secretId: key === null ? undefined : receiver.secretIds[key] });
};

const keep = async (
  context: ReceiveContext,
  receiver: Receiver,
  { verified, items, seen }: Extract<Reading, { kind: 'items' }>,
): Promise<void> => {
  const { clock, newId, keeper, onWebhook } = context;
  const { id, teamId, provider } = receiver;
  const arrival: ArrivedMessage = {
    ...{ provider, teamId, address: id, receivedAt: clock.now(), verified },
    // What goes to the journal may have been stored all the same, so even what is never a repetition is told apart.
    items: items.map((item) => ({ ...item, repeat: item.repeat ?? newId() })),
  };
  const kept = items.length > 0 ? await keeper.keep(arrival) : ({ outcome: 'empty', connection: null } as const);
  onWebhook(provider, typeof kept === 'string' ? kept : kept.outcome);
  if (kept === 'lost') throw messageNotKept();
  // What went to the journal is done when that is read back.
  if (kept !== 'journaled') await endWithdrawn(context, arrival);
  note(context, receiver, seen, typeof kept === 'string' ? null : kept.connection);
};

/**
 * Verifies a message and keeps what happened. Returns the response, or why the message isn't accepted.
 */
export const receiveMessage = async (
  context: ReceiveContext,
  receiver: Receiver,
  message: Message,
): Promise<HandshakeReply | { refused: MessageFlaw }> => {
  const { clock, sightings, onWebhook } = context;
  const { provider, webhook, keys } = receiver;
  const reading = await read({ webhook, keys, message, now: clock.now() });
  if (reading.kind === 'refused') {
    onWebhook(provider, 'refused');
    sightings.refused(receiver, toReason(receiver, reading.reason));
    return { refused: reading.reason };
  }
  if (reading.kind === 'malformed') {
    onWebhook(provider, 'refused');
    sightings.refused(receiver, 'message_malformed');
    throw messageMalformed();
  }
  if (reading.kind === 'items') {
    await keep(context, receiver, reading);
    return NOTHING;
  }
  if (reading.secret !== null && clock.now() - (receiver.openedAt ?? 0) > OPEN_MS) {
    onWebhook(provider, 'refused');
    sightings.refused(receiver, 'unasked');
    return { refused: 'unasked' };
  }
  onWebhook(provider, 'handshake');
  note(context, receiver, reading.seen, null);
  if (reading.secret !== null) await withinPatience(keepSecret(context, receiver, reading.secret));
  return reading.reply;
};
