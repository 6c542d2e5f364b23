import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { slow } from '../../test/harness/oauth-server/faults.ts';
import type { OauthServer } from '../../test/harness/oauth-server.ts';
import { askOver, createTeamMember, JSON_ONLY } from '../../test/harness/team-member.ts';
import { ADMIN } from '../../test/harness/telephony-serve.ts';
import { waitUntil } from '../../test/harness/wait-until.ts';
import { keepTrying } from './keep-trying.ts';
import type { Cluster } from './start-cluster.ts';

const PROVIDER = 'acme';
const BETWEEN_FLOWS_MS = 500;
const HAND_OUTS = 60;
const CONNECT_AGAIN = ['integrations.state_used', 'integrations.interrupted'];

const urlAt = ({ processes }: Cluster, index: number): string => processes[index % processes.length]?.url ?? '';

/** Requests a token from all processes at the moment it expires. Returns how many refreshes the provider got. */
export const refreshOnce = async (cluster: Cluster, oauth: OauthServer) => {
  const memberAt = (index: number) => createTeamMember(askOver(urlAt(cluster, index)), ADMIN, oauth);
  oauth.rules.accessTokenSeconds = 2;
  await memberAt(0).connect(PROVIDER, 'shared', { connection: 'shared' });
  oauth.rules.accessTokenSeconds = 3_600;
  const { expiresAt } = await memberAt(0).status(PROVIDER, 'shared');
  const before = oauth.count('refresh');
  oauth.fail('refresh', slow(300));
  await waitUntil('the token has expired', () => Date.now() >= Date.parse(expiresAt ?? ''), 5_000);
  const tokens = await Promise.all(
    Array.from({ length: HAND_OUTS }, (_, index) => memberAt(index).token(PROVIDER, 'shared')),
  );
  return { handOuts: tokens.length, tokens: new Set(tokens).size, refreshes: oauth.count('refresh') - before };
};

/**
 * Connects accounts, one after the other. Each flow starts on one process and finishes on the next one. If the database
 * is lost while a flow is about to finish, its authorization response is used up, and the person connects again.
 */
export const driveFlows = (cluster: Cluster, oauth: OauthServer) => {
  const counts = { started: 0, finished: 0, again: 0 };
  const stopping = new AbortController();
  /** The index of the next process. Each request goes to another one, because one may have been killed. */
  let place = 0;
  const next = () => askOver(urlAt(cluster, place++));

  const begin = (account: string) =>
    keepTrying(() => createTeamMember(next(), ADMIN, oauth).goToProvider(PROVIDER, account, { connection: account }));
  /** Finishes a flow. Returns whether the account is connected. */
  const finish = ({ path, cookie }: { path: string; cookie: string }, account: string): Promise<boolean> =>
    keepTrying(async () => {
      const reply = await next()('GET', path, { ...JSON_ONLY, cookie });
      const answer = JSON.parse(reply.body);
      if (CONNECT_AGAIN.includes(answer.code)) return false;
      assert.equal(reply.status, 200, reply.body);
      assert.equal(answer.account.id, account);
      return true;
    });
  const connect = async (account: string): Promise<void> => {
    counts.started++;
    while (!(await finish(await begin(account), account))) counts.again++;
    counts.finished++;
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await connect(`account-${counts.started + 1}`);
      await sleep(BETWEEN_FLOWS_MS);
    }
  };
  const running = run();
  running.catch(() => undefined);
  return {
    async stop() {
      stopping.abort();
      await running;
      return counts;
    },
  };
};
