import type { FullRecord, OauthProvider } from '../catalogue/provider.ts';
import type { IntegrationsContext } from '../context.ts';
import { type CheckStep, notPassed, passed } from './check-step.ts';

const NAME = 'discovery';

const addressesOf = ({ authorize, token, revoke }: FullRecord): [string, string | undefined][] => [
  ['authorize.url', authorize.url],
  ['token.url', token.url],
  ['revoke.url', revoke?.url],
];

/** Checks whether the issuer's discovery document names the same URLs as the entry. */
export const checkDiscovery = async (
  { discover }: Pick<IntegrationsContext, 'discover'>,
  { record, custom }: OauthProvider,
): Promise<CheckStep> => {
  const { issuer, id, name, scopes } = record;
  if (issuer === undefined) return notPassed(NAME, 'skipped', 'The entry names no issuer.');
  let named: FullRecord;
  try {
    named = (await discover({ record: { id, name, scopes, issuer }, custom })).record;
  } catch {
    return notPassed(
      NAME,
      'failed',
      `${issuer} can't be reached, or has no readable discovery document. Check the internet connection of this machine, and then the issuer of the entry.`,
    );
  }
  if (!('authorize' in record)) return passed(NAME, `${issuer} names its addresses.`, ['issuer']);
  const theirs = new Map(addressesOf(named));
  const shared = addressesOf(record).filter(([field, url]) => url !== undefined && theirs.get(field) !== undefined);
  const different = shared.filter(([field, url]) => theirs.get(field) !== url);
  if (different.length === 0)
    return passed(NAME, `${issuer} names the same addresses.`, ['issuer', ...shared.map(([field]) => field)]);
  const said = different.map(([field]) => `${field} is ${theirs.get(field)} there`).join(', and ');
  return notPassed(NAME, 'unclear', `${issuer} names other addresses than the entry: ${said}.`);
};
