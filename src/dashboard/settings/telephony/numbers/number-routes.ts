import { type Html, html, Type } from '../../../../platform/index.ts';
import type { NumberView } from '../../../../telephony/index.ts';
import { phoneWords } from '../../../display/phone.ts';
import { problemNotice } from '../../../notice.ts';
import { ByPageId, type PageRoutes } from '../../../pages.ts';
import type { Person } from '../../../person.ts';
import { leftToDo } from '../accounts/setup-section.ts';
import {
  explainNumberError,
  fillIn,
  NumberBody,
  type NumberForm,
  newNumberForm,
  toNumberForm,
  toNumberWish,
} from './number-form.ts';
import { NUMBERS, type NumberPageView, newNumberPage, numberPage } from './number-page.ts';

const ByAccount = Type.Object({ account: Type.Optional(Type.String({ maxLength: 60 })) });

const done = {
  added: 'Number added. Calls that come in are answered this way.',
  saved: 'Saved. From the next call on, callers hear this.',
};

/** Routes for the team's numbers and how calls to them are answered. */
export const numberPageRoutes: PageRoutes = ({ page, form, confirm }, { url, telephony }) => {
  const { accounts, numbers, providers, transcriber } = telephony;

  const todoOf = async ({ team }: Person, number: NumberView): Promise<Html | null> => {
    const account = await accounts.get(team.id, number.account);
    const provider = providers.find(({ id }) => id === account.provider);
    return provider ? leftToDo({ account, provider, url }) : null;
  };

  const viewOf = async ({ team }: Person, filled: NumberForm, number?: NumberView): Promise<NumberPageView> => ({
    form: filled,
    providers,
    accounts: number?.simulated ? [await accounts.get(team.id, number.account)] : await accounts.listNames(team.id),
    hasOwnHours: Boolean(number?.answer.hours?.open),
    teamHasHours: team.businessHours !== null,
    transcriber,
  });

  page(`${NUMBERS}/new`, { access: 'admin', query: ByAccount }, async ({ person, query }) =>
    newNumberPage(person, await viewOf(person, newNumberForm(query.account ?? ''))),
  );

  form(
    `${NUMBERS}/new`,
    { access: 'admin', body: NumberBody },
    async ({ person, actor, body }) => {
      const { id } = await numbers.create(person.team.id, actor, toNumberWish(fillIn(body)));
      return `${NUMBERS}/${id}?done=added`;
    },
    async ({ person, body }, problem) => ({
      ...newNumberPage(person, await viewOf(person, fillIn(body))),
      notice: problemNotice(problem, explainNumberError),
    }),
  );

  page(`${NUMBERS}/:id`, { access: 'admin', params: ByPageId, done }, async ({ person, params }) => {
    const number = await numbers.get(person.team.id, params.id);
    const view = await viewOf(person, toNumberForm(number), number);
    return numberPage(person, number, { ...view, todo: await todoOf(person, number) });
  });

  form(
    `${NUMBERS}/:id`,
    { access: 'admin', params: ByPageId, body: NumberBody },
    async ({ person, actor, params: { id }, body }) => {
      const { answer } = await numbers.get(person.team.id, id);
      await numbers.change(person.team.id, actor, id, toNumberWish(fillIn(body), answer));
      return `${NUMBERS}/${id}?done=saved`;
    },
    async ({ person, params, body }, problem) => {
      const number = await numbers.get(person.team.id, params.id);
      const view = await viewOf(person, fillIn(body), number);
      return { ...numberPage(person, number, view), notice: problemNotice(problem, explainNumberError) };
    },
  );

  confirm(
    `${NUMBERS}/:id/remove`,
    { access: 'admin', params: ByPageId },
    async ({ person, params: { id } }) => ({
      title: `Remove ${phoneWords((await numbers.get(person.team.id, id)).number, person.region)}?`,
      content: html`<p>Callers will hear that the number is not in service, as long as the provider still sends its calls here. Calls and recordings stay.</p>`,
      button: 'Remove number',
      back: `${NUMBERS}/${id}`,
    }),
    async ({ person, actor, params }) => {
      await numbers.remove(person.team.id, actor, params.id);
      return '/settings/telephony?done=number_removed';
    },
  );
};
