import { type Caller, type Routes, sendPage, useForms } from '../../http/index.ts';
import { FIRST_PAGE } from '../../platform/index.ts';
import { actorOf } from '../../teams/index.ts';
import { hostOfClient, hostOfRedirect } from '../clients/client.ts';
import { ConsentBody, readConsent } from '../consent/consent-form.ts';
import { type ConsentAccount, letInPage, sendBackPage } from '../consent/consent-page.ts';
import type { AgentsContext } from '../context.ts';
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
        : (await integrations.listConnected(teamId)).map(({ provider, connection, name, account }) => ({
            ...{ provider, connection, name, label: account.label ?? account.id },
          }));

    const listAdmins = async (teamId: string): Promise<string[]> =>
      (await members.list(teamId, FIRST_PAGE)).rows
        .flatMap(({ role, email }) => (role === 'admin' && email !== null ? [email] : []))
        .slice(0, MOST_ADMINS_SHOWN);

    const byUid = { schema: { hide: true, params: ByUid }, config: page } as const;
    const decisionByUid = { ...byUid, schema: { ...byUid.schema, body: ConsentBody } } as const;

    server.get(`${OAUTH_ROOT}${consentPath(':uid')}`, byUid, async (request, reply) => {
      const { uid } = request.params;
      const caller = personOf(request);
      const client = await oauth.getQuestion(request, uid);
      const [accounts, user, { name }] = await Promise.all([
        listAccounts(caller),
        members.get(caller.teamId, caller.userId),
        team.get(caller.teamId),
      ]);
      const view = {
        ...{ client, accounts, team: name, person: user.email ?? user.name ?? '' },
        admins: accounts ? [] : await listAdmins(caller.teamId),
        ...{ csrfToken: caller.csrfToken, action: `${OAUTH_ROOT}${consentPath(uid)}` },
      };
      return sendPage(reply, 200, letInPage(view));
    });

    server.post(`${OAUTH_ROOT}${consentPath(':uid')}`, decisionByUid, async (request, reply) => {
      const { uid } = request.params;
      const caller = personOf(request);
      if (request.body.answer === 'deny') return sendPage(reply, 200, sendBackPage(await oauth.deny(request, uid)));
      const { id, name, redirect } = await oauth.getQuestion(request, uid);
      const client = hostOfClient(id) ?? hostOfRedirect(redirect);
      const made = await tokens.create(caller, actorOf(request), { ...readConsent(request.body), name, client });
      const { teamId, userId } = caller;
      const granted = { tokenId: made.id, expiresAt: made.expiresAt, teamId, userId };
      return sendPage(reply, 200, sendBackPage(await oauth.allow(request, uid, granted)));
    });
  };
