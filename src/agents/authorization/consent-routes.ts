import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { type Caller, type Routes, sendPage, useForms } from '../../http/index.ts';
import { digestOf, FIRST_PAGE, Refusal } from '../../platform/index.ts';
import { actorOf } from '../../teams/index.ts';
import { hostOfClient, hostOfRedirect } from '../clients/client.ts';
import { ConsentBody, NOTHING_TICKED, readConsent, tickedIn } from '../consent/consent-form.ts';
import { type ConsentAccount, type ConsentView, letInPage, sendBackPage } from '../consent/consent-page.ts';
import type { AgentsContext } from '../context.ts';
import { AUTHORIZATION_GONE, consentChanged } from '../errors.ts';
import { ByUid } from './authorization-routes.ts';
import { consentPath, type OauthServer } from './oauth-server.ts';
import { OAUTH_ROOT } from './paths.ts';
import { personOf } from './person-of.ts';

const MOST_ADMINS_SHOWN = 3;

const page = { access: 'member', page: true } as const;

/** The page on which a person lets a client in. */
export const consentRoutes =
  ({ integrations, members, team, tokens }: AgentsContext, oauth: OauthServer): Routes =>
  (server) => {
    useForms(server);

    /** The accounts that a caller can give. Null for a member. */
    const listAccounts = async ({ teamId, role }: Caller): Promise<ConsentAccount[] | null> =>
      role !== 'admin'
        ? null
        : (await integrations.listConnected(teamId)).map(({ provider, connection, name, account, connectedAt }) => ({
            ...{ provider, connection, name, label: account.label ?? account.id, since: connectedAt },
          }));

    /** Finds who asks, and for what: the same for the page, and for the answer. */
    const findAsked = async (request: FastifyRequest, uid: string, caller: Caller) => {
      const client = await oauth.getQuestion(request, uid);
      const accounts = await listAccounts(caller);
      return { client, accounts, shown: digestOf(JSON.stringify([caller.teamId, client, accounts])) };
    };

    const listAdmins = async (teamId: string): Promise<string[]> =>
      (await members.list(teamId, FIRST_PAGE)).rows
        .flatMap(({ role, email }) => (role === 'admin' && email !== null ? [email] : []))
        .slice(0, MOST_ADMINS_SHOWN);

    const byUid = { schema: { hide: true, params: ByUid }, config: page } as const;
    const decisionByUid = { ...byUid, schema: { ...byUid.schema, body: ConsentBody } } as const;

    const show = async (request: FastifyRequest, uid: string, { form, flaw }: Pick<ConsentView, 'form' | 'flaw'>) => {
      const caller = personOf(request);
      const [asked, user, { name }] = await Promise.all([
        findAsked(request, uid, caller),
        members.get(caller.teamId, caller.userId),
        team.get(caller.teamId),
      ]);
      return letInPage({
        ...{ ...asked, form, flaw, team: name, person: user.email ?? user.name ?? '' },
        admins: asked.accounts ? [] : await listAdmins(caller.teamId),
        ...{ csrfToken: caller.csrfToken, action: `${OAUTH_ROOT}${consentPath(uid)}` },
      });
    };

    server.get(`${OAUTH_ROOT}${consentPath(':uid')}`, byUid, async (request, reply) =>
      sendPage(reply, 200, await show(request, request.params.uid, { form: NOTHING_TICKED, flaw: null })),
    );

    /** Grants what the person ticked. Returns where the browser goes on. */
    const allow = async (request: FastifyRequest, uid: string, body: Static<typeof ConsentBody>): Promise<string> => {
      const caller = personOf(request);
      const { client, shown } = await findAsked(request, uid, caller);
      if (body.shown !== shown) throw consentChanged();
      const host = hostOfClient(client.id) ?? hostOfRedirect(client.redirect);
      const asked = { ...readConsent(body), name: client.name, client: host };
      const { id, expiresAt } = await tokens.create(caller, actorOf(request), asked);
      const { teamId, userId } = caller;
      return oauth.allow(request, uid, { tokenId: id, expiresAt, teamId, userId }).catch(async (error) => {
        await tokens.endGrant(teamId, id, 'it could not be handed over');
        throw error;
      });
    };

    server.post(`${OAUTH_ROOT}${consentPath(':uid')}`, decisionByUid, async (request, reply) => {
      const { body, params } = request;
      if (body.answer === 'deny') return sendPage(reply, 200, sendBackPage(await oauth.deny(request, params.uid)));
      try {
        return sendPage(reply, 200, sendBackPage(await allow(request, params.uid, body)));
      } catch (error) {
        if (!(error instanceof Refusal) || error.code === AUTHORIZATION_GONE) throw error;
        // The page again, with what was ticked, so that the person can put it right.
        const flawed = { form: tickedIn(body), flaw: error.message };
        return sendPage(reply, error.status, await show(request, params.uid, flawed));
      }
    });
  };
