import { headerOf } from '../../contract/delivery.ts';
import { toParty } from '../../contract/party.ts';
import type { TelephonyProvider } from '../../contract/provider.ts';
import { adviseWith } from '../../contract/webhook-url.ts';
import { paramsOf } from '../../markup/params.ts';
import { renderMarkupWith } from '../../markup/reply.ts';
import { occasionWithScreening, screenWith } from '../../markup/screening.ts';
import { acknowledgeWith } from '../../provider-parts/reply.ts';
import { textOf, UUID } from '../../provider-parts/values.ts';
import { factsOfEvent, keyOfEvent } from './event-facts.ts';
import { factsOfForm, keyOfForm } from './form-facts.ts';
import { mediaOf, removalOf } from './media.ts';
import { eventOf } from './payload.ts';
import { SIGNATURE, TIMESTAMP, verify } from './verify.ts';
import { TELNYX_VOICES } from './voices.ts';

const CALL = /^v\d{1,2}:/;

/** Telnyx: form params (TeXML) or JSON events (Call Control), Ed25519 with the account's public key, TeXML replies. */
export const telnyx: TelephonyProvider = {
  id: 'telnyx',
  name: 'Telnyx',
  languages: TELNYX_VOICES,
  transcribes: true,
  rules: {
    accountId: {
      label: 'Account SID or application ID',
      pattern: new RegExp(`${UUID.source}|^\\d{6,25}$`, 'i'),
      hint: 'the AccountSid that Telnyx sends with TeXML requests (36 characters), or the number of the Call Control application. You can leave it empty',
    },
    secret: {
      label: 'Public key',
      pattern: /^[A-Za-z0-9+/]{43}=$/,
      hint: '44 characters that end in =, as shown under Account → Keys & Credentials → Public Key in Mission Control',
      isPublic: true,
    },
    api: {
      key: {
        label: 'API key',
        pattern: /^KEY\S{8,200}$/,
        hint: 'KEY followed by at least 8 more characters, from Account → Keys & Credentials in Mission Control',
      },
    },
    apiUse: 'Only needed to delete recordings at Telnyx. Without it, they are still fetched.',
  },
  challenge: null,
  recognizes: (delivery) => {
    if (headerOf(delivery, SIGNATURE) !== null || headerOf(delivery, TIMESTAMP) !== null) return true;
    const params = paramsOf(delivery);
    return params.has('CallSidLegacy') || CALL.test(params.get('CallSid') ?? '') || eventOf(delivery) !== null;
  },
  accountIdOf: (delivery) => {
    const event = eventOf(delivery);
    return event ? textOf(event.payload, 'connection_id') : (paramsOf(delivery).get('AccountSid') ?? null);
  },
  verify,
  keyOf: (delivery) => {
    const event = eventOf(delivery);
    return event ? keyOfEvent(event) : keyOfForm(paramsOf(delivery));
  },
  factsOf: (delivery, receivedAt) => {
    const event = eventOf(delivery);
    return event ? factsOfEvent(event, receivedAt) : factsOfForm(delivery, paramsOf(delivery), receivedAt);
  },
  // Call Control uses commands instead of documents, so its events never get a document.
  occasionOf: (delivery) => (eventOf(delivery) ? { kind: 'nothing' } : occasionWithScreening(delivery)),
  calledParty: (delivery) => {
    const event = eventOf(delivery);
    return toParty(event ? textOf(event.payload, 'to') : paramsOf(delivery).get('To'));
  },
  render: screenWith(renderMarkupWith({ wish: 'transcription', callback: 'transcriptionCallback' })),
  // Telnyx retries at the failover URL unless it gets a 200 (docs, "TeXML recording completed"; seen November 2026).
  acknowledge: acknowledgeWith(200),
  advise: adviseWith([
    'Go to Voice → Programmable Voice → TeXML applications. Set "Send a TeXML webhook to the URL" to the voice URL, with the voice method POST.',
    "Set the call progress events URL to the status URL, with the status callback method POST. A GET is refused because Telnyx doesn't sign its query.",
    "Paste the URLs in full, including ?account=…. The public key isn't secret, so requests without that part are refused once another team here has the same key or account.",
    "The secret is the account's public key, under Account → Keys & Credentials → Public Key.",
    'A Call Control application can use the voice URL with webhook API version 2. Its events are recorded, but only TeXML can answer calls.',
  ]),
  mediaOf,
  removalOf,
  // Only the public key is known, which verifies but can't sign.
  sampleNotice: () => null,
};
