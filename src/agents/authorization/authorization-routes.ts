import { type Routes, rateLimited, useRawBody } from '../../http/index.ts';
import { digestOfIssued, getIssued, reasonIn, type ServerAnswer, sendAnswer, sendOn } from '../../oauth/index.ts';
import { createRateLimit, Type } from '../../platform/index.ts';
import { fetchClient, isDocumentId } from '../clients/client-document.ts';
import type { AgentClients } from '../clients/clients.ts';
import type { AgentsContext } from '../context.ts';
import { authorizationRefused } from '../errors.ts';
import { readAuthorization } from './authorization-query.ts';
import type { OauthServer } from './oauth-server.ts';
import { OAUTH_PATHS, OAUTH_ROOT } from './paths.ts';
import { personOf } from './person-of.ts';
import { refreshTokenIn, toProviderForm, withPrefixes } from './token-forms.ts';

/** A person begins few authorizations, and each may fetch a document. */
const BEGUN_PER_MINUTE = 20;
/** A client refreshes once an hour, and perhaps in a few windows at once. */
const REFRESHED_PER_MINUTE = 10;

export const ByUid = Type.Object({ uid: Type.String({ pattern: '^[\\w-]{1,64}$' }) });

const protocol = { schema: { hide: true }, config: { access: 'anyone' } } as const;
const page = { schema: { hide: true }, config: { access: 'member', page: true } } as const;
const pageByUid = { ...page, schema: { hide: true, params: ByUid } } as const;

/**
 * Whether the answer leads to the person's consent. Any other would send them to an address that a stranger chose,
 * before they have seen it.
 */
const asksPerson = ({ headers }: ServerAnswer): boolean =>
  String(headers['location'] ?? '').includes(`${OAUTH_ROOT}${OAUTH_PATHS.consent}/`);

const FORGOTTEN = 'Patchbay doesn’t know it any more. Remove Patchbay in the agent, and add it again';

/** Why the answer doesn't ask: an error that it would have sent the person away with, or one of its own. */
const whyNot = ({ headers: { location }, body }: ServerAnswer): string =>
  (Object(body).error === 'invalid_client' ? FORGOTTEN : null) ??
  (typeof location === 'string' ? URL.parse(location)?.searchParams.get('error_description') : null) ??
  reasonIn(body);

/** What clients use: they send a person to us, and exchange the code that the person comes back with. */
export const authorizationRoutes =
  (context: AgentsContext, clients: AgentClients, oauth: OauthServer): Routes =>
  async (server) => {
    const { clock, database } = context;
    const begun = createRateLimit({ clock, perMinute: BEGUN_PER_MINUTE });
    const refreshed = createRateLimit({ clock, perMinute: REFRESHED_PER_MINUTE });

    /** Refuses a client that refreshes one grant again and again: each time, something is stored. */
    const slowDown = async (form: URLSearchParams): Promise<void> => {
      const digest = digestOfIssued('RefreshToken', refreshTokenIn(form));
      const grantId = (await getIssued(database, 'agent_issued', digest, clock.now()))?.grantId;
      const wait = grantId ? refreshed.take(grantId) : 0;
      if (wait > 0) throw rateLimited(wait);
    };

    server.get(`${OAUTH_ROOT}${OAUTH_PATHS.authorize}`, page, async (request, reply) => {
      const wait = begun.take(personOf(request).userId);
      if (wait > 0) throw rateLimited(wait);
      const { search, clientId } = readAuthorization(request.url);
      if (isDocumentId(clientId, context)) await clients.describe(await fetchClient(context, clientId));
      const answer = await oauth.ask(request, OAUTH_PATHS.authorize, { search });
      if (!asksPerson(answer)) throw authorizationRefused(whyNot(answer));
      return sendAnswer(reply, { ...answer, body: '' });
    });

    server.get(`${OAUTH_ROOT}${OAUTH_PATHS.authorize}/:uid`, pageByUid, async (request, reply) =>
      sendOn(reply, await oauth.ask(request, `${OAUTH_PATHS.authorize}/${request.params.uid}`), authorizationRefused),
    );

    useRawBody(server);
    for (const path of [OAUTH_PATHS.token, OAUTH_PATHS.revoke])
      server.post(`${OAUTH_ROOT}${path}`, protocol, async (request, reply) => {
        const form = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '');
        await slowDown(form);
        return sendAnswer(reply, withPrefixes(await oauth.ask(request, path, { body: toProviderForm(form) })));
      });
  };
