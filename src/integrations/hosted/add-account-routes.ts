import { type Routes, sendPage } from '../../http/index.ts';
import { Refusal, Type } from '../../platform/index.ts';
import { HOSTED_PAGE } from '../../teams/index.ts';
import { findProvider, isKeyBased } from '../catalogue/catalogue.ts';
import { ByProvider } from '../catalogue/schemas.ts';
import type { Product } from '../connect/product.ts';
import { DEFAULT_CONNECTION } from '../connections/connection-name.ts';
import { getHeldAccount, refuseWithoutRoom } from '../connections/find-connection.ts';
import type { IntegrationsContext } from '../context.ts';
import { checkConnect } from '../set-up/check-connect.ts';
import { getSetUp } from '../set-up/get-set-up.ts';
import { addAccountPage, continueAddingPage } from './add-account-pages.ts';
import { HOSTED, type HostedDoor, type HostedRequest, paramsIn, pathsOf, withParams } from './hosted-door.ts';

const Form = Type.Object(
  {
    connection: Type.Optional(Type.String({ maxLength: 100 })),
    page: Type.Optional(Type.String({ maxLength: 60 })),
  },
  withParams,
);

/** Turns a text that a person typed into a connection's name: in lower case, with dashes instead of spaces. */
const toName = (entered: string): string => entered.trim().toLowerCase().replace(/\s+/g, '-');

const findProblems = (check: () => void): string[] => {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return (error.errors ?? []).map(({ path, message }) =>
      path === 'connection' ? `The name ${message}.` : `The ${path.replace('params.', '')} ${message}.`,
    );
  }
};

/** The page that asks for a name, and the page that warns before an account is replaced. */
export const addAccountRoutes =
  (context: IntegrationsContext, { withSession, whoOf, errorHandler }: HostedDoor, { brand }: Product): Routes =>
  (server) => {
    server.get(
      `${HOSTED_PAGE}/:provider/add`,
      { config: HOSTED, errorHandler, schema: { hide: true, params: ByProvider, querystring: Form } },
      withSession(async (session, request: HostedRequest, reply) => {
        const { teamId, credential } = session;
        const { provider } = request.params;
        const entry = findProvider(context.catalogue, provider);
        const { name } = entry.record;
        // For a provider with keys, ask for no params here. The form for its key does that.
        const declared = isKeyBased(entry) ? {} : (entry.record.params ?? {});
        const entered = request.query['connection'];
        const connection = toName(entered ?? '');
        const setUp = await getSetUp(context, teamId, provider);
        const given = paramsIn(request.query);
        const known = { ...setUp.params, ...setUp.again.get(connection)?.params, ...given };
        const problems = findProblems(() =>
          checkConnect(context, provider, { connection, params: known, scopes: null }),
        );
        const who = await whoOf(session);
        if (problems.length > 0) {
          const form = {
            ...{ name, action: `${HOSTED_PAGE}/${provider}/add`, page: credential.id, connection: entered ?? '' },
            asksName: entered !== DEFAULT_CONNECTION,
            params: Object.entries(declared)
              .filter(([, { default: standard }]) => standard === undefined)
              .map(([param, { about, example }]) => ({ name: param, about, example, value: known[param] ?? '' })),
          };
          // True if the person hasn't entered anything yet, except for a name that came with the link.
          const isNew = entered === undefined || (!form.asksName && Object.keys(given).length === 0);
          const page = addAccountPage(brand, who, { ...form, problems: isNew ? [] : problems }, HOSTED_PAGE);
          return sendPage(reply, isNew ? 200 : 400, page);
        }
        const key = { teamId, provider, name: connection };
        await refuseWithoutRoom(context, key);
        const held = await getHeldAccount(context, key);
        const more = new URLSearchParams();
        for (const [param, value] of Object.entries(given)) more.set(`params.${param}`, value);
        if (held) more.set('replace', 'true');
        const href = [pathsOf(session).connect({ provider, connection }), ...(more.size > 0 ? [more] : [])].join('&');
        return sendPage(reply, 200, continueAddingPage(brand, who, { name, connection, held, href }, HOSTED_PAGE));
      }),
    );
  };
