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
  added: 'Account added. Paste the webhook URLs at the provider, then test the setup.',
  saved: 'Account saved.',
  secret_added: 'Secret added. It works from now on.',
  secret_removed: 'Secret removed.',
  api_saved: 'Saved. Recordings are fetched with these credentials from now on.',
  api_removed: 'Credentials for recordings removed.',
  released: 'All held requests were verified and released.',
  released_some: 'Some requests were verified and released. The rest are still held.',
  released_none: 'None could be verified yet. See the refused requests for the reason.',
};

type Work = (person: Person, view: AccountView) => Promise<keyof typeof ACCOUNT_DONE>;

/** Does what a form on the account's page asks for, or shows the page again with the reason. */
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
