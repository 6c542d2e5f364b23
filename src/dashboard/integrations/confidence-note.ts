import type { ListedProvider, ProviderEvidence } from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';

/** The fields of an entry in plain words. The first that fits counts. */
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
  [/^developerUrl$/, 'where to register an OAuth app'],
];

const wordsFor = (field: string): string => WORDS.find(([pattern]) => pattern.test(field))?.[1] ?? field;

/** "November 16, 2026", or "November 2026" if only the month is known. */
const dayWords = (checked: string): string =>
  new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: 'UTC', year: 'numeric', month: 'long' },
    ...(checked.length > 'YYYY-MM'.length ? { day: 'numeric' } : {}),
  }).format(Date.parse(checked));

const saySources = (name: string, { fields, own, checked }: NonNullable<ProviderEvidence['sources']>): string => {
  const share = own === fields ? `All ${fields}` : `${own} of the ${fields}`;
  return `${share} details that Patchbay uses, such as addresses and scopes, come from ${name}'s own documentation. They were last checked ${checked.length > 'YYYY-MM'.length ? 'on' : 'in'} ${dayWords(checked)}.`;
};

const sayConfidence = (name: string) => ({
  confirmed: `What is needed to connect has been tried at ${name} itself.`,
  documented: 'What is needed to connect has a public source.',
  recalled: 'Not everything that is needed to connect has a public source.',
});

type Known = Pick<ListedProvider, 'name' | 'confidence' | 'unconfirmed'> & Pick<ProviderEvidence, 'sources'>;

/** What the entry is based on, and what to look at first if something doesn't work. */
export const confidenceNote = ({ name, confidence, unconfirmed, sources }: Known): Html | null => {
  if (confidence === null || sources === null) return null;
  const words = [...new Set(unconfirmed.map(wordsFor))];
  return html`<p>${saySources(name, sources)} ${sayConfidence(name)[confidence]}${words.length > 0 && ` Not confirmed: ${words.join(', ')}.`}</p>`;
};
