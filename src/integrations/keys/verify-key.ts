import type { KeyRecord } from '../catalogue/key-record.ts';
import { domainsOf, isUnder, plainHost } from '../catalogue/known-hosts.ts';
import { pickText } from '../catalogue/pick.ts';
import type { Values } from '../catalogue/placeholders.ts';
import type { KeyProvider } from '../catalogue/provider.ts';
import type { Account } from '../catalogue/schemas.ts';
import type { AskContext } from '../requests/ask-provider.ts';
import { toLabel } from '../requests/fetch-holder.ts';
import { askVerification, buildVerification, type Unaccepted, type Verify } from '../requests/verification-request.ts';
import { expandKeyCredential } from './key-credential.ts';
import { secretsIn } from './key-fields.ts';

/** The provider's verdict on a key. */
export type KeyVerdict = { outcome: 'accepted'; account: Account } | Unaccepted;

const NOBODY: Account = { id: null, label: null };
/** Many providers respond to a deleted key with 403. */
const REJECTING = new Set([401, 403]);

export const buildKeyVerification = (record: KeyRecord, verify: Verify, values: Values) =>
  buildVerification(record.api, verify, expandKeyCredential(record, values), values);

/** Whether a text repeats a secret that was sent. Such a text isn't an account's name, and must not be shown. */
const repeats = (text: string, secrets: readonly string[]): boolean =>
  secrets.some((secret) => [secret, encodeURIComponent(secret)].some((sent) => sent !== '' && text.includes(sent)));

const readAccount = (record: KeyRecord, values: Values, response: unknown, sent: readonly string[]): Account => {
  if (!record.identity) return NOBODY;
  const secrets = [...secretsIn(record, values), ...sent];
  const read = (path: string): string | null => {
    const text = toLabel(pickText(response, [path]));
    return text === null || repeats(text, secrets) ? null : text;
  };
  const id = read(record.identity.id);
  return { id, label: read(record.identity.label) ?? id };
};

/**
 * Asks the provider whether a key works, with the request that the entry names. Without such a request, the key is
 * accepted.
 */
export const verifyKey = async (context: AskContext, provider: KeyProvider, values: Values): Promise<KeyVerdict> => {
  const { record } = provider;
  const { verify } = record.api;
  if (!verify) return { outcome: 'accepted', account: NOBODY };
  const answer = await askVerification(context, {
    ...{ provider, verify, rejecting: REJECTING },
    build: () => buildKeyVerification(record, verify, values),
    mayReceive: (url) => isUnder(domainsOf(record), plainHost(url)),
  });
  if (answer.outcome !== 'answered') return answer;
  // Only what the credential consists of: a version that we send may well be a part of an account's ID.
  const sent = expandKeyCredential(record, values).headers.flatMap(([, value]) => value.split(' ').slice(-1));
  return { outcome: 'accepted', account: readAccount(record, values, answer.body, sent) };
};
