import { randomSecret } from '../../platform/index.ts';
import { usesClientCredentials } from '../catalogue/catalogue.ts';
import { listKeyFields } from '../catalogue/key-record.ts';
import type { Values } from '../catalogue/placeholders.ts';
import type { KeyProvider } from '../catalogue/provider.ts';
import { tryKey } from '../keys/try-key.ts';
import type { AskContext } from '../requests/ask-provider.ts';
import { type CheckStep, notPassed, passed } from './check-step.ts';

const NAME = 'wrong key';

/** Sends a made-up key in the request that verifies keys. */
export const checkWrongKey = async (context: AskContext, provider: KeyProvider, values: Values): Promise<CheckStep> => {
  const { record } = provider;
  const isClient = usesClientCredentials(provider);
  if (!record.api.verify && !isClient)
    return notPassed(NAME, 'skipped', 'The entry names no request that verifies a key.');
  const made = Object.fromEntries(listKeyFields(record).map(([name]) => [name, `patchbay-check-${randomSecret()}`]));
  const entered = new Set(Object.keys(made));
  const given = Object.entries({ ...made, ...values });
  const verdict = await tryKey(context, provider, {
    fields: Object.fromEntries(given.filter(([name]) => entered.has(name))),
    details: Object.fromEntries(given.filter(([name]) => !entered.has(name))),
  });
  const [request, confirms] = isClient ? ['token', ['token.url']] : ['api.verify', ['api.url', 'api.verify']];
  if (verdict.outcome === 'rejected') return passed(NAME, 'It was rejected.', confirms);
  if (verdict.outcome === 'accepted')
    return notPassed(
      NAME,
      'failed',
      `It was accepted, so ${request} proves nothing. Choose a request that needs the key.`,
    );
  if (verdict.outcome === 'unconfirmed')
    return notPassed(NAME, 'unclear', `It responded with ${verdict.status} instead of 401 or 403. Check ${request}.`);
  if (verdict.outcome === 'not_asked')
    return notPassed(NAME, 'failed', "Requests to the entry's address are not allowed. Check its URLs and domains.");
  return notPassed(NAME, 'failed', 'There was no usable response. Check its URLs, or try again later.');
};
