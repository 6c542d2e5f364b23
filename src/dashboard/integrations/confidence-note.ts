import type { ListedProvider, ProviderEvidence } from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';

/** Fields of a catalog entry in plain words. The first match wins. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^authorize\.url$/, 'the authorization address'],
  [/^authorize\b/, 'the authorization request'],
  [/^token\.url$/, 'the token address'],
  [/^token\.(?:auth|basicEncoding)$/, 'how the OAuth app authenticates'],
  [/^token\.(?:response|upgrade)$/, 'the token response'],
  [/^token\b/, 'the token request'],
  [/^(?:issuer|callback|defaults)$/, 'the callback'],
  [/^params$/, 'what you enter to connect'],
  [/^fields$/, 'what the key consists of'],
  [/^(?:scopes|requiredScopes)$/, 'scopes'],
  [/^pkce$/, 'PKCE'],
  [/^refresh\.(?:rotates|graceSeconds)$/, 'whether refresh tokens work only once'],
  [/^refresh\.(?:idleDays|absoluteDays|absoluteUnlessScope)$/, 'how long access lasts'],
  [/^refresh\b/, 'how access is renewed'],
  [/^revoke\b/, 'how access is revoked'],
  [/^identity$/, "the account's name"],
  [/^errors\b/, 'how errors are reported'],
  [/^api\.(?:url|hosts)$/, "the API's address"],
  [/^api\.verify$/, 'how access is checked'],
  [/^api\b/, 'how the API is called'],
  [/^webhook\b/, 'webhooks'],
  [/^people\b/, 'how callers are looked up'],
  [/^log\b/, 'how calls are logged'],
  [/^developerUrl$/, 'where to register an OAuth app'],
];

const wordsFor = (field: string): string => WORDS.find(([pattern]) => pattern.test(field))?.[1] ?? field;

/** Formats the day of a check: "November 16, 2026", or "November 2026" if only the month is known. */
const dayWords = (checked: string): string =>
  new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: 'UTC', year: 'numeric', month: 'long' },
    ...(checked.length > 'YYYY-MM'.length ? { day: 'numeric' } : {}),
  }).format(Date.parse(checked));

const sayChecked = (checked: string): string =>
  `last checked ${checked.length > 'YYYY-MM'.length ? 'on' : 'in'} ${dayWords(checked)}`;

type Sources = NonNullable<ProviderEvidence['sources']>;

const saySources = (name: string, { fields, own }: Sources): string => {
  if (own === 0) return `They don't include ${name}'s own documentation.`;
  const share = own === fields ? `All ${fields}` : `${own} of the ${fields}`;
  return `${share} details that Patchbay uses, such as addresses and scopes, are in ${name}'s own documentation.`;
};

const KNOWN: Record<NonNullable<ListedProvider['confidence']>, (name: string, sources: Sources) => string> = {
  confirmed: (name, { checked }) =>
    `Connecting has been tried at ${name} itself. What Patchbay knows about ${name} was ${sayChecked(checked)}.`,
  documented: (name, { checked }) =>
    `${name}'s own documentation has everything that Patchbay relies on, ${sayChecked(checked)}. Nobody has tried it yet.`,
  referenced: (name, sources) =>
    `Patchbay has public sources for what matters most when it connects to ${name}, ${sayChecked(sources.checked)}. ${saySources(name, sources)}`,
  recalled: (name, sources) =>
    `Patchbay has public sources for only a part of what it needs to connect to ${name}, ${sayChecked(sources.checked)}. ${saySources(name, sources)}`,
};

const sayUnconfirmed = (confidence: NonNullable<ListedProvider['confidence']>, words: readonly string[]): string =>
  confidence === 'recalled'
    ? ` These have no source yet, so look at them first if connecting fails: ${words.join(', ')}.`
    : ` These have no source yet and may turn out to be different: ${words.join(', ')}.`;

type Known = Pick<ListedProvider, 'name' | 'confidence' | 'unconfirmed'> & Pick<ProviderEvidence, 'sources'>;

/** Says what is known about a provider, from which source, and when it was checked. Also says what isn't confirmed. */
export const confidenceNote = ({ name, confidence, unconfirmed, sources }: Known): Html | null => {
  if (confidence === null || sources === null) return null;
  const words = [...new Set(unconfirmed.map(wordsFor))];
  return html`<p>${KNOWN[confidence](name, sources)}${words.length > 0 && sayUnconfirmed(confidence, words)}</p>`;
};
