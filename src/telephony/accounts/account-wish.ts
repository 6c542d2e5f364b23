import type { Static } from 'typebox';
import { type InputError, Type } from '../../platform/index.ts';
import type { TelephonyProvider } from '../contract/provider.ts';
import { accountInvalid } from '../errors.ts';

/** How many secrets an account can have. Verifying a delivery may mean trying each of them. */
export const MOST_SECRETS = 10;

const strict = { additionalProperties: false };
const SecretText = Type.String({ minLength: 1, maxLength: 4_000 });
const fields = {
  accountId: Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Null()], {
    description: "The provider's ID for the account",
  }),
  secrets: Type.Array(SecretText, {
    minItems: 1,
    maxItems: MOST_SECRETS,
    description: 'Any one of them can verify a delivery',
  }),
  api: Type.Record(Type.String({ pattern: '^[a-z][a-zA-Z]{0,39}$' }), Type.String({ minLength: 1, maxLength: 8_000 }), {
    maxProperties: 20,
    description: 'Credentials for fetching recordings, if they differ from the secret',
  }),
  mode: Type.Enum(['enforce', 'observe']),
  removesArchived: Type.Boolean({ description: 'Delete recordings at the provider once they are archived here' }),
};

export const AccountWish = Type.Object(
  {
    provider: Type.String({ maxLength: 60 }),
    ...Type.Partial(Type.Object(fields)).properties,
    secrets: fields.secrets,
  },
  strict,
);
export type AccountWish = Static<typeof AccountWish>;

export const AccountChange = Type.Partial(
  Type.Object({ ...fields, addSecret: SecretText, removeSecret: Type.String({ maxLength: 60 }) }),
  strict,
);
export type AccountChange = Static<typeof AccountChange>;

export const findTelephonyProvider = (providers: readonly TelephonyProvider[], id: string): TelephonyProvider => {
  const provider = providers.find((candidate) => candidate.id === id);
  if (!provider)
    throw accountInvalid([{ path: 'provider', message: `must be one of ${providers.map(({ id }) => id).join(', ')}` }]);
  return provider;
};

/** Rule for `api.mediaOrigin`, a test host that recordings are fetched from instead of the provider's. */
const MEDIA_ORIGIN = { pattern: /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/, hint: 'an origin, outside production only' };

/** Refuses fields that aren't valid for this provider. */
export const checkAccount = (
  { rules }: TelephonyProvider,
  { accountId, secrets, api }: { accountId: string | null; secrets: readonly string[]; api: Record<string, string> },
  production: boolean,
): void => {
  const known = { ...rules.api, ...(production ? {} : { mediaOrigin: MEDIA_ORIGIN }) };
  const errors: InputError[] = [];
  const refuse = (path: string, message: string): number => errors.push({ path, message });
  if (accountId !== null && !rules.accountId) refuse('accountId', 'is not used by this provider');
  if (accountId !== null && rules.accountId && !rules.accountId.pattern.test(accountId))
    refuse('accountId', `must be ${rules.accountId.hint}`);
  if (secrets.length > MOST_SECRETS)
    refuse('secrets', `can hold at most ${MOST_SECRETS}; remove one that is no longer used`);
  for (const [index, secret] of secrets.entries())
    if (!rules.secret.pattern.test(secret)) refuse(`secrets.${index}`, `must be ${rules.secret.hint}`);
  for (const [name, value] of Object.entries(api)) {
    const rule = Object.hasOwn(known, name) ? known[name as keyof typeof known] : undefined;
    const names = Object.keys(known).join(', ');
    if (!rule) refuse(`api.${name}`, names ? `is not one of ${names}` : 'is not used by this provider');
    else if (!rule.pattern.test(value)) refuse(`api.${name}`, `must be ${rule.hint}`);
  }
  if (errors.length > 0) throw accountInvalid(errors);
};
