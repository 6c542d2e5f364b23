import type { ListedProvider } from '../../integrations/index.ts';
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

const sayConfidence = (name: string) => ({
  confirmed: `Somebody has tried this entry at ${name} itself.`,
  documented: `What Patchbay needs to connect ${name} comes from public sources. Nobody has tried it there and told us yet.`,
  recalled: `Not everything that Patchbay needs to connect ${name} has a public source.`,
});

/** How far the entry can be trusted, and what to look at first if something doesn't work. */
export const confidenceNote = ({
  name,
  confidence,
  unconfirmed,
}: Pick<ListedProvider, 'name' | 'confidence' | 'unconfirmed'>): Html | null => {
  if (confidence === null) return null;
  const words = [...new Set(unconfirmed.map(wordsFor))];
  return html`<p class="quiet">${sayConfidence(name)[confidence]}${words.length > 0 && ` Not confirmed: ${words.join(', ')}.`}</p>`;
};
