import type { Routes } from '../../../../http/index.ts';
import { html, Type } from '../../../../platform/index.ts';
import { actorOf } from '../../../../teams/index.ts';
import type { Answer } from '../../../../telephony/index.ts';
import type { DashboardDependencies } from '../../../dependencies.ts';
import { attempt } from '../../../form.ts';
import { doneNotice } from '../../../notice.ts';
import { ADMIN_PAGE } from '../../../page-route.ts';
import { loadPerson, type Person } from '../../../person.ts';
import { DoneQuery } from '../../done-query.ts';
import { askPage } from '../ask-page.ts';
import { formProblem } from '../fields.ts';
import { showTelephony } from '../show-telephony.ts';
import type { NumberFieldsView } from './number-fields.ts';
import {
  explainNumberError,
  fillIn,
  NumberBody,
  type NumberForm,
  newNumberForm,
  toNumberForm,
  toNumberWish,
} from './number-form.ts';
import { NUMBERS, newNumberPage, numberPage } from './number-page.ts';

const DONE = {
  added: 'Number added. The next call will be answered this way.',
  saved: 'Saved. The next call will be answered this way.',
};

const ById = Type.Object({ id: Type.String({ maxLength: 60 }) });
const ByAccount = Type.Object({ account: Type.Optional(Type.String({ maxLength: 60 })) });

/** Which numbers are answered, and how. */
export const numberPages =
  (dependencies: DashboardDependencies): Routes =>
  (server) => {
    const { settings } = dependencies.telephony;

    const fieldsView = async ({ team }: Person, form: NumberForm, answer: Answer = {}): Promise<NumberFieldsView> => ({
      form,
      providers: settings.providers,
      accounts: await settings.listAccountNames(team.id),
      hasOwnHours: Boolean(answer.hours?.open),
      teamHasHours: team.businessHours !== null,
    });

    server.get(
      `${NUMBERS}/new`,
      { schema: { hide: true, querystring: ByAccount }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const view = await fieldsView(person, newNumberForm(request.query.account ?? ''));
        return showTelephony(reply, person, newNumberPage(person, view));
      },
    );

    server.post(
      `${NUMBERS}/new`,
      { schema: { hide: true, body: NumberBody }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const form = fillIn(request.body);
        const added = await attempt(() => settings.addNumber(person.team.id, actorOf(request), toNumberWish(form)));
        if (added.ok) return reply.redirect(`${NUMBERS}/${added.result}?done=added`, 303);
        const page = newNumberPage(person, await fieldsView(person, form));
        const notice = formProblem(added.problem, explainNumberError);
        return showTelephony(reply, person, { ...page, notice }, added.problem.status);
      },
    );

    server.get(
      `${NUMBERS}/:id`,
      { schema: { hide: true, params: ById, querystring: DoneQuery }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const number = await settings.getNumber(person.team.id, request.params.id);
        const view = await fieldsView(person, toNumberForm(number), number.answer);
        const notice = doneNotice(DONE, request.query.done);
        return showTelephony(reply, person, { ...numberPage(person, number, view), notice });
      },
    );

    server.post(
      `${NUMBERS}/:id`,
      { schema: { hide: true, params: ById, body: NumberBody }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const number = await settings.getNumber(person.team.id, request.params.id);
        const form = fillIn(request.body);
        const wish = toNumberWish(form, number.answer);
        const saved = await attempt(() => settings.changeNumber(person.team.id, actorOf(request), number.id, wish));
        if (saved.ok) return reply.redirect(`${NUMBERS}/${number.id}?done=saved`, 303);
        const view = await fieldsView(person, form, number.answer);
        const notice = formProblem(saved.problem, explainNumberError);
        return showTelephony(reply, person, { ...numberPage(person, number, view), notice }, saved.problem.status);
      },
    );

    server.get(
      `${NUMBERS}/:id/remove`,
      { schema: { hide: true, params: ById }, config: ADMIN_PAGE },
      async (request, reply) => {
        const person = await loadPerson(dependencies, request);
        const { id, number } = await settings.getNumber(person.team.id, request.params.id);
        const page = askPage(
          {
            title: `Remove ${number}?`,
            content: html`<p>Callers will hear that the number is not in service, as long as the provider sends its calls here. Calls and recordings stay.</p>`,
            action: `${NUMBERS}/${id}/remove`,
            button: 'Remove number',
            back: `${NUMBERS}/${id}`,
          },
          person.csrfToken,
        );
        return showTelephony(reply, person, page);
      },
    );

    server.post(
      `${NUMBERS}/:id/remove`,
      { schema: { hide: true, params: ById }, config: ADMIN_PAGE },
      async (request, reply) => {
        const { team } = await loadPerson(dependencies, request);
        await settings.removeNumber(team.id, actorOf(request), request.params.id);
        return reply.redirect('/settings/telephony?done=number_removed', 303);
      },
    );
  };
