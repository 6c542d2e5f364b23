import type { Routes } from '../../../http/index.ts';
import { Type } from '../../../platform/index.ts';
import { actorOf } from '../../../teams/index.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import { attempt } from '../../form.ts';
import { ADMIN_PAGE } from '../../page-route.ts';
import { loadPerson } from '../../person.ts';
import { askErasePage, ERASE, erasedPage, erasePage } from './erase-page.ts';
import { formProblem } from './fields.ts';
import { explainNumberError } from './numbers/number-form.ts';
import { showTelephony } from './show-telephony.ts';

const EraseForm = Type.Object({
  number: Type.String({ maxLength: 256 }),
  sure: Type.Optional(Type.Literal('yes')),
});

export const erasePages =
  (dependencies: DashboardDependencies): Routes =>
  (server) => {
    const { settings } = dependencies.telephony;

    server.get(ERASE, { schema: { hide: true }, config: ADMIN_PAGE }, async (request, reply) => {
      const person = await loadPerson(dependencies, request);
      return showTelephony(reply, person, erasePage(person, ''));
    });

    server.post(ERASE, { schema: { hide: true, body: EraseForm }, config: ADMIN_PAGE }, async (request, reply) => {
      const person = await loadPerson(dependencies, request);
      const number = request.body.number.trim();
      if (request.body.sure !== 'yes') return showTelephony(reply, person, askErasePage(person, number));
      const erased = await attempt(() => settings.eraseNumber(person.team.id, actorOf(request), number));
      if (erased.ok) return showTelephony(reply, person, erasedPage(number, erased.result));
      const notice = formProblem(erased.problem, explainNumberError);
      return showTelephony(reply, person, { ...erasePage(person, number), notice }, erased.problem.status);
    });
  };
