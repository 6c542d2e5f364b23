import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from '../../../../platform/index.ts';
import { attempt } from '../../../form.ts';
import { loadPerson, type Person } from '../../../person.ts';
import { formProblem } from '../fields.ts';
import { showTelephony } from '../show-telephony.ts';
import { explainAccountError } from './account-form.ts';
import { accountPage } from './account-page.ts';
import type { AccountView } from './load-account.ts';
import { type AccountDependencies, loadAccount } from './load-account.ts';

export const ACCOUNTS = '/settings/telephony/accounts';

export const ByAccount = Type.Object({ id: Type.String({ maxLength: 60 }) });

export const ACCOUNT_DONE = {
  added: 'The account is added. Paste the addresses at the provider, then test the set-up.',
  saved: 'The account is saved.',
  secret_added: 'The secret is added. It counts from now on.',
  secret_removed: 'The secret is removed.',
  api_saved: 'Saved. Recordings are fetched with it from now on.',
  api_removed: 'The credentials for recordings are removed.',
  released: 'Everything that was held is verified and let in.',
  released_some: 'What fits is let in. The rest stays held.',
  released_none: 'Nothing of it fits yet: the refused requests say why.',
};

type Work = (person: Person, view: AccountView) => Promise<keyof typeof ACCOUNT_DONE>;

/** Does what a form of the account's page asks for, or shows the page once more with the reason. */
export const changeAccount = async (
  dependencies: AccountDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { id, typedId }: { id: string; typedId?: string },
  work: Work,
): Promise<FastifyReply> => {
  const person = await loadPerson(dependencies, request);
  const view = await loadAccount(dependencies, person, id);
  const done = await attempt(() => work(person, view));
  if (done.ok) return reply.redirect(`${ACCOUNTS}/${id}?done=${done.result}`, 303);
  const notice = formProblem(done.problem, explainAccountError(view.provider));
  return showTelephony(reply, person, { ...accountPage(person, view, typedId), notice }, done.problem.status);
};
