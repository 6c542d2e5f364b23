import type { Signature } from './signature.ts';
import { listPlaces } from './template.ts';
import type { Webhook } from './webhook.ts';

const SIGNABLE = /\{(body|url|method|timestamp|id)\}/g;
const WITHOUT_BODY: ReadonlySet<Signature['algorithm']> = new Set(['token', 'jwt-hs256']);

/** Finds flaws in a signature. One that doesn't cover the body would be valid for any message. */
const findSignatureFlaws = (signature: Signature, hasId: boolean): string[] => {
  const { algorithm, at, signed = '', timestamp, encoding, parts, audience } = signature;
  const used = [...signed.matchAll(SIGNABLE)].map(([, name]) => name);
  const unknown = signed.replace(SIGNABLE, '').match(/\{(?!header:|query:)[^{}]*\}/g) ?? [];
  const isBare = WITHOUT_BODY.has(algorithm);
  const inBody = (timestamp?.at ?? []).flatMap(listPlaces).every(({ source }) => source === 'body');
  return [
    ...unknown.map((name) => `signed uses ${name}, which can't be signed`),
    ...(isBare || used.includes('body') ? [] : ['signed must contain {body}']),
    ...(isBare && signed !== '' ? [`signed means nothing with ${algorithm}`] : []),
    ...(isBare === (encoding === undefined) ? [] : [isBare ? 'encoding means nothing here' : 'encoding is missing']),
    // A timestamp within the body is signed with it. Any other could be changed.
    ...(timestamp && !inBody && !used.includes('timestamp') ? ['signed must contain {timestamp}'] : []),
    ...(!timestamp && used.includes('timestamp') ? ['timestamp is missing, but signed contains it'] : []),
    ...(used.includes('id') && !hasId ? ['signed contains {id}, but the webhook has none'] : []),
    ...(audience && algorithm !== 'jwt-hs256' ? ['audience needs jwt-hs256'] : []),
    ...(parts && at.some((template) => !/^\{header:[^{}]+\}$/.test(template)) ? ['parts needs a header'] : []),
  ].map((flaw) => `/webhook/signatures/${flaw}`);
};

const listTemplates = ({ type, id = [], about: { unless = {}, ...named } }: Webhook): string[] => [
  ...type,
  ...id,
  ...Object.values(named).flat(),
  ...Object.keys(unless),
];

/** Finds places that no message of this webhook has. */
const findPlaceFlaws = (webhook: Webhook): string[] => {
  const sources = new Set(
    listTemplates(webhook)
      .flatMap(listPlaces)
      .map(({ source }) => source),
  );
  const hasClaims = webhook.signatures.some(({ algorithm }) => algorithm === 'jwt-hs256');
  return [
    ...(sources.has('item') && webhook.items === undefined ? ['/webhook/items is missing, but {item:…} is used'] : []),
    ...(sources.has('claim') && !hasClaims ? ['/webhook/signatures has no JWT, but {claim:…} is used'] : []),
    ...(sources.has('signature') ? ['/webhook uses {signature:…}, which only signatures can'] : []),
  ];
};

const findWithdrawalFlaws = ({ withdrawn = {}, signatures }: Webhook, kept: ReadonlySet<string>): string[] => {
  const unknown = Object.entries(withdrawn).flatMap(([type, { only = {} }]) =>
    Object.keys(only)
      .filter((name) => !kept.has(name))
      .map((name) => `/webhook/withdrawn/${type}/only/${name} is neither a param nor kept`),
  );
  const isSigned = signatures.some(({ algorithm }) => !WITHOUT_BODY.has(algorithm));
  const unsigned = Object.keys(withdrawn).length > 0 && !isSigned;
  return [...unknown, ...(unsigned ? ['/webhook/withdrawn needs a signature over the body'] : [])];
};

/** Finds an HMAC that anyone could ask for, and sign a message with it. */
const findOpenHmac = ({ handshakes = [] }: Webhook): string[] =>
  handshakes.some(({ signed, answer, headers }) => !signed && JSON.stringify([answer, headers]).includes('{hmac-'))
    ? ['/webhook/handshakes/answer contains an HMAC, so /signed must be true']
    : [];

/** What the rest of the entry has. */
type Rest = { kept: ReadonlySet<string>; hasIdentity: boolean; hasInstallation: boolean; hasClient: boolean };

/** Finds what only an OAuth app can have: an address of the operator, and a client whose secret signs. */
const findMissingClient = ({ operator, secretOf }: Webhook): string[] => [
  ...(operator ? ['/webhook/operator needs an OAuth app'] : []),
  ...(secretOf ? ['/webhook/secretOf needs an OAuth app'] : []),
];

/** Finds flaws in a webhook: signatures that prove nothing, and values that no message or connection has. */
export const findWebhookFlaws = (
  webhook: Webhook,
  { kept, hasIdentity, hasInstallation, hasClient }: Rest,
): string[] => {
  const { operator, team, signatures, id, repeats, about, withdrawn, handshakes = [] } = webhook;
  const names = Object.keys(about).length > 0;
  const isTold = handshakes.some(({ secret }) => secret !== undefined);
  return [
    ...signatures.flatMap((signature) => findSignatureFlaws(signature, id !== undefined)),
    ...findPlaceFlaws(webhook),
    ...findOpenHmac(webhook),
    ...(hasClient ? [] : findMissingClient(webhook)),
    ...findWithdrawalFlaws(webhook, kept),
    ...(operator || team ? [] : ['/webhook needs /webhook/operator or /webhook/team']),
    ...(operator && signatures.length === 0 ? ['/webhook/operator needs a signature'] : []),
    ...(operator && !names ? ["/webhook/about is empty, so the operator's messages would be nobody's"] : []),
    ...(operator && isTold ? ['/webhook/handshakes/secret needs an address of the team'] : []),
    ...(repeats === 'id' && id === undefined ? ['/webhook/id is missing, but repeats are recognized by it'] : []),
    ...((about.account || withdrawn) && !hasIdentity
      ? ['/webhook needs /identity, which says whose account it is']
      : []),
    ...(about.installation && !hasInstallation ? ['/webhook/about/installation needs /identity/installation'] : []),
  ];
};
