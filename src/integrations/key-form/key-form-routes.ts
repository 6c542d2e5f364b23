import type { FastifyReply, FastifyRequest } from 'fastify';
import { leadOn, type Routes, refuseForeignForm, sendPage, useForms } from '../../http/index.ts';
import { Refusal, Type } from '../../platform/index.ts';
import { actorOf, getTeam, getUser } from '../../teams/index.ts';
import { findKeyProvider } from '../catalogue/catalogue.ts';
import { type KeyRecord, listKeyFields } from '../catalogue/key-record.ts';
import type { Values } from '../catalogue/placeholders.ts';
import { ByProvider } from '../catalogue/schemas.ts';
import { keyFormPath } from '../connect/begin-connect.ts';
import { createBindingCookie } from '../connect/binding-cookie.ts';
import type { ConnectState } from '../connect/connect-state.ts';
import { customerWords } from '../connect/customer-words.ts';
import { createConnectEndings } from '../connect/endings.ts';
import { failed, toQuery } from '../connect/outcome.ts';
import { findWayBack, type Product } from '../connect/product.ts';
import { addOutcome } from '../connect/return-address.ts';
import { connectionTitle } from '../connections/connection-name.ts';
import { getConnection } from '../connections/connection-store.ts';
import type { IntegrationsContext } from '../context.ts';
import { consentRefused } from '../errors.ts';
import { keyFormPage, leadBackPage } from './key-form-page.ts';
import { openForm, refuseUsedForm, submitKey } from './submit-key.ts';

const MOST_STATE_CHARACTERS = 1_000;
const MOST_FIELD_CHARACTERS = 2_000;
const MOST_PARAM_CHARACTERS = 300;

const ByState = Type.Object({ state: Type.String({ maxLength: MOST_STATE_CHARACTERS }) });

/**
 * The submitted form. These limits are higher than the fields' own, so that a value that is too long gets an error on
 * the form. Other inputs are ignored, and not repeated.
 */
const Entered = Type.Object(
  { _csrf: Type.Optional(Type.String({ maxLength: 100 })) },
  {
    patternProperties: {
      '^fields\\.': { type: 'string', maxLength: 10_000 },
      '^params\\.': { type: 'string', maxLength: MOST_PARAM_CHARACTERS },
    },
  },
);

/** Refusals after which the form is shown again, so that the person can correct it, or try again later. */
const ON_THE_FORM = new Set(
  [
    'fields_invalid',
    'params_invalid',
    'key_refused',
    'provider_unavailable',
    'host_refused',
    'too_many_connects',
    'too_many_keys',
  ].map((reason) => `integrations.${reason}`),
);

/** Reads the inputs with these names. Removes spaces around values, which people often paste along. */
const readEntered = (body: Values, prefix: 'fields.' | 'params.', names: readonly string[]): Values =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = Object.hasOwn(body, `${prefix}${name}`) ? body[`${prefix}${name}`]?.trim() : undefined;
      return value ? [[name, value]] : [];
    }),
  );

const labelsOf = ({ params = {}, ...record }: KeyRecord): Map<string, string> =>
  new Map([
    ...Object.keys(params).map((name) => [`params.${name}`, `The ${name}`] as const),
    ...listKeyFields(record).map(([name, { label }]) => [`fields.${name}`, label] as const),
  ]);

const toProblems = (record: KeyRecord, refusal: Refusal, isCustomer: boolean): string[] => {
  const labels = labelsOf(record);
  const about = (refusal.errors ?? []).map(({ path, message }) => `${labels.get(path) ?? 'The form'} ${message}.`);
  if (about.length > 0) return about;
  return [isCustomer ? customerWords(refusal) : refusal.message];
};

type Shown = { provider: string; sealed: string; state: ConnectState; entered: Values; refusal: Refusal | null };

/** The form that asks for a key. For a provider with keys, it replaces the authorization page. */
export const keyFormRoutes =
  (context: IntegrationsContext, product: Product): Routes =>
  (server) => {
    const { url, database, catalogue } = context;
    const endings = createConnectEndings(context, product);
    const cookie = createBindingCookie(url);
    useForms(server);

    const brandFor = async (request: FastifyRequest, { teamId, userId, returnTo }: ConnectState) =>
      (await findWayBack(context, product, request, { teamId, userId, returnTo })) ? product.brand : null;

    const inputsOf = (record: KeyRecord, known: Values, { entered, refusal }: Pick<Shown, 'entered' | 'refusal'>) => {
      const flawed = new Set(refusal?.errors?.map(({ path }) => path));
      const isRefused = refusal?.code === 'integrations.key_refused';
      return [
        ...Object.entries(record.params ?? {}).map(([name, { about, example, default: standard = '' }]) => ({
          name: `params.${name}`,
          label: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
          hint: `${about} For example, ${example}.`,
          value: entered[`params.${name}`] ?? known[name] ?? standard,
          isSecret: false,
          isFlawed: flawed.has(`params.${name}`),
          maxLength: MOST_PARAM_CHARACTERS,
        })),
        ...listKeyFields(record).map(([name, { label, about, secret = true, maxLength = MOST_FIELD_CHARACTERS }]) => ({
          ...{ name: `fields.${name}`, label, hint: about, isSecret: secret, maxLength },
          isFlawed: flawed.has(`fields.${name}`) || (isRefused && secret),
          value: secret ? '' : (entered[`fields.${name}`] ?? ''),
        })),
      ];
    };

    const show = async (request: FastifyRequest, reply: FastifyReply, shown: Shown): Promise<FastifyReply> => {
      const { provider, sealed, state, refusal } = shown;
      const { teamId, userId, connection, returnTo } = state;
      const { record } = findKeyProvider(catalogue, provider);
      const [team, user, held, brand] = await Promise.all([
        getTeam(database, teamId),
        getUser(database, teamId, userId),
        getConnection(database, { teamId, provider, name: connection }),
        brandFor(request, state),
      ]);
      const declined = toQuery({ provider, connection }, failed(consentRefused('access_denied')));
      const page = keyFormPage({
        name: connectionTitle({ name: record.name, connection }),
        docs: record.docs,
        action: keyFormPath(provider, sealed),
        csrfToken: request.caller?.csrfToken ?? null,
        team: team?.name ?? '',
        user: user?.email ?? user?.name ?? null,
        held: held ? { label: held.accountLabel, isBroken: held.status === 'needs_reconnect' } : null,
        inputs: inputsOf(record, { ...held?.details, ...state.params }, shown),
        problems: refusal ? toProblems(record, refusal, brand !== null) : [],
        cancel: returnTo && (returnTo.startsWith('/') ? returnTo : addOutcome(returnTo, declined)),
        brand,
      });
      return sendPage(reply.headers(refusal?.headers ?? {}), refusal?.status ?? 200, page);
    };

    const route = {
      errorHandler: endings.tellRefusal,
      config: { access: 'anyone_or_caller', page: true },
    } as const;

    server.get(
      '/integrations/:provider/key',
      { ...route, schema: { hide: true, params: ByProvider, querystring: ByState } },
      async (request, reply) => {
        const { provider } = request.params;
        const { state: sealed } = request.query;
        findKeyProvider(catalogue, provider);
        const state = await openForm(context, provider, sealed);
        await refuseUsedForm(context, state, { binding: cookie.digestOn(request), caller: request.caller });
        return show(request, reply, { provider, sealed, state, entered: {}, refusal: null });
      },
    );

    server.post(
      '/integrations/:provider/key',
      { ...route, schema: { hide: true, params: ByProvider, querystring: ByState, body: Entered } },
      async (request, reply) => {
        refuseForeignForm(url, request);
        const { provider } = request.params;
        const { state: sealed } = request.query;
        const body = request.body as Values;
        const { record } = findKeyProvider(catalogue, provider);
        const entered = {
          fields: readEntered(
            body,
            'fields.',
            listKeyFields(record).map(([name]) => name),
          ),
          params: readEntered(body, 'params.', Object.keys(record.params ?? {})),
        };
        const { caller } = request;
        const submission = { provider, state: sealed, entered, binding: cookie.digestOn(request), caller };
        const result = await submitKey(context, submission, actorOf(request)).catch((error: unknown) => {
          if (error instanceof Refusal && ON_THE_FORM.has(error.code)) return error;
          throw error;
        });
        if (result instanceof Refusal) {
          const state = await openForm(context, provider, sealed);
          return show(request, reply, { provider, sealed, state, entered: body, refusal: result });
        }
        const { finished, returnTo, connection, startedBy } = result;
        if (returnTo !== null) {
          const address = addOutcome(returnTo, toQuery({ provider, connection }, finished));
          if (address.startsWith('/')) return leadOn(reply, address);
          const back = await findWayBack(context, product, request, { ...startedBy, returnTo });
          return sendPage(reply, 200, leadBackPage(product.name, address, back ? product.brand : null));
        }
        if (finished.outcome !== 'confirm')
          return endings.sendOutcome(request, reply, { provider, connection, outcome: finished, startedBy });
        // This visitor has entered a key that was accepted, so the page may say who started the connect.
        return endings.sendConfirm(request, reply, { provider, attempt: finished.attempt, startedBy }, true);
      },
    );
  };
