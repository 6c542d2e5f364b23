import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KeyRecord } from '../../src/integrations/catalogue/key-record.ts';
import type { FullRecord } from '../../src/integrations/catalogue/provider.ts';
import { oncePer } from '../../src/platform/index.ts';
import { answerRequest, type SimulatedAnswer } from './provider-simulator/answer-request.ts';
import { callOf, KINDS, siteCallOf, unfillable, withDefaults } from './provider-simulator/entry.ts';
import {
  type Fault,
  type FaultPlan,
  isDelay,
  nameOf,
  sendFault,
  statusOf,
  takeFault,
  waitOut,
} from './provider-simulator/faults.ts';
import { type ConsentOptions, giveConsent } from './provider-simulator/give-consent.ts';
import { endGrant, endToken } from './provider-simulator/issued-tokens.ts';
import { canBeAt, judgeRequest, type Verdict } from './provider-simulator/judge-request.ts';
import { createReroutedForwarder } from './provider-simulator/rerouted-forwarder.ts';
import { createReroutedOutbound } from './provider-simulator/rerouted-outbound.ts';
import { answerKeyRequest, createKey, isKeyAddress, type SimulatedKey } from './provider-simulator/simulated-key.ts';
import type {
  Kind,
  LoggedRequest,
  ProviderOptions,
  SimulatedProvider,
} from './provider-simulator/simulated-provider.ts';
import { addressPattern, fill, splitAddress } from './provider-simulator/template.ts';
import { createWebhookKey } from './provider-simulator/webhook-key.ts';
import { readWireRequest, TRUE_ADDRESS, type WireRequest } from './provider-simulator/wire-request.ts';
import { buildWithdrawal } from './provider-simulator/withdrawal-message.ts';

/** With characters that read differently raw and form-encoded. */
const secretFor = (id: string): string => `secret of ${id} +%41&=/:~`;

const consentPattern = oncePer((record: FullRecord) => addressPattern(record, record.authorize.url));

const send = (response: ServerResponse, { status, body, form }: SimulatedAnswer): void => {
  if (body === null) {
    response.writeHead(status).end();
    return;
  }
  if (!form) {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
    return;
  }
  const fields = Object.entries(body).map(([name, value]): [string, string] => [name, String(value)]);
  response.writeHead(status, { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' });
  response.end(new URLSearchParams(fields).toString());
};

/**
 * Simulates every provider in the catalog on one loopback port, from the same entries that the service reads. It is
 * strict: anything but the exact request that the entry describes is refused, and `requests` says why.
 */
export const startProviderSimulator = async ({ now = Date.now }: { now?: () => number } = {}) => {
  const providers = new Map<string, SimulatedProvider>();
  const keys = new Map<string, SimulatedKey>();
  const requests: LoggedRequest[] = [];
  const strays: string[] = [];
  const plans: FaultPlan[] = [];
  const stopping = new AbortController();

  const note = (request: WireRequest, verdict: Verdict, answer: SimulatedAnswer, fault: FaultPlan | null): void => {
    const { provider, kind, grant, access, refresh } = verdict;
    requests.push({
      provider: provider.record.id,
      kind,
      method: request.method,
      address: request.address.text,
      headers: request.headers,
      params: Object.fromEntries([...request.address.query, ...request.body.params]),
      status: answer.status,
      reasons: answer.reasons,
      fault: fault ? nameOf(fault.fault) : null,
      account: grant?.account.id ?? null,
      accessToken: access?.value ?? null,
      refreshToken: refresh?.value ?? null,
      at: now(),
    });
  };

  const noteKey = (
    { record, account }: SimulatedKey,
    kind: 'token' | 'verify',
    request: WireRequest,
    answer: SimulatedAnswer,
  ): void => {
    const { method, address, headers } = request;
    const { status, reasons } = answer;
    requests.push({
      ...{ provider: record.id, kind, method, address: address.text, headers, status, reasons, fault: null },
      ...{ account: account.id, accessToken: null, refreshToken: null, at: now() },
      params: Object.fromEntries(address.query),
    });
  };

  const serve = async (request: WireRequest, response: ServerResponse): Promise<void> => {
    const issuing = [...keys.values()].find(({ client }) => client?.isAt(request.address));
    if (issuing?.client) {
      const answer = issuing.client.answer(request, now());
      noteKey(issuing, 'token', request, answer);
      send(response, answer);
      return;
    }
    const key = [...keys.values()].find((one) => isKeyAddress(one, request.address));
    if (key) {
      const answer = answerKeyRequest(key, request, now());
      noteKey(key, 'verify', request, answer);
      send(response, answer);
      return;
    }
    const verdict = judgeRequest(providers.values(), request, now());
    if (!verdict) {
      strays.push(`${request.method} ${request.address.text}`);
      response.writeHead(404).end();
      return;
    }
    const plan = takeFault(plans, verdict.provider.record.id, verdict.kind);
    const fault = plan?.fault;
    if (!fault || isDelay(fault)) {
      const answer = answerRequest(verdict, now());
      note(request, verdict, answer, plan);
      if (fault) await waitOut(fault, stopping.signal);
      send(response, answer);
      return;
    }
    const answer = plan.afterWork ? answerRequest(verdict, now()) : { body: null, reasons: [] };
    note(request, verdict, { ...answer, status: statusOf(fault) }, plan);
    sendFault(response, fault);
  };

  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    readWireRequest(request)
      .then((wire) => serve(wire, response))
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) strays.push(`the simulator failed: ${String(error)}`);
        response.destroy();
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const get = (id: string): SimulatedProvider => {
    const provider = providers.get(id);
    assert.ok(provider, `The simulator knows no provider "${id}".`);
    return provider;
  };

  const isKnown = (address: URL): boolean => {
    const split = splitAddress(address.href);
    return (
      [...keys.values()].some((key) => key.client?.isAt(split) || isKeyAddress(key, split)) ||
      [...providers.values()].some((provider) => KINDS.some((kind) => canBeAt(provider, kind, split.text)))
    );
  };

  const findByAuthorization = (authorizationUrl: string): SimulatedProvider => {
    const { text, query } = splitAddress(authorizationUrl);
    const found = [...providers.values()].filter(({ record }) => consentPattern(record).test(text));
    const ids = new Set(query.map(([, value]) => value));
    const provider = found.find(({ clientId }) => ids.has(clientId)) ?? found[0];
    assert.ok(provider, `No provider of the simulator has its consent page at ${text}.`);
    return provider;
  };

  return {
    url,
    /** Every request to a provider. `reasons` says why it was refused. */
    requests,
    /** Requests that reached no provider, and the simulator's own failures. */
    strays,
    /** The outbound guard to pass to the service. */
    outbound: createReroutedOutbound(url, { isKnown, onStray: (what) => strays.push(what) }),
    /** And what the proxy sends requests with. */
    forwarder: createReroutedForwarder(url, { isKnown, onStray: (what) => strays.push(what) }),
    /** Where a plain `fetch` reaches this address. */
    route: (address: string) => {
      const { pathname, search, href } = new URL(address);
      return { url: `${url}${pathname}${search}`, headers: { [TRUE_ADDRESS]: href } };
    },
    add(record: FullRecord, options: ProviderOptions = {}) {
      const { clientId, clientSecret, redirectUri, ...quirks } = options;
      const unknown = unfillable(record);
      assert.deepEqual(unknown, [], `${record.id}: nothing fills {${unknown.join('}, {')}}.`);
      const fields = Object.fromEntries(
        Object.keys(record.clientFields ?? {}).map((name) => [name, `${name} of ${record.id} +%41&=/~`]),
      );
      const provider: SimulatedProvider = {
        record,
        quirks,
        clientId: clientId ?? `client-of-${record.id}`,
        clientSecret: clientSecret ?? secretFor(record.id),
        webhookKey: createWebhookKey(record),
        redirectUri: redirectUri ?? `http://localhost:3000/api/integrations/${record.id}/callback`,
        fields,
        grants: [],
        randoms: new Set(),
      };
      providers.set(record.id, provider);
      const prefix = `OAUTH_${record.id.toUpperCase().replaceAll('-', '_')}`;
      return {
        clientId: provider.clientId,
        clientSecret: provider.clientSecret,
        fields,
        /** The settings that give the service these credentials. */
        env: {
          [`${prefix}_CLIENT_ID`]: provider.clientId,
          [`${prefix}_CLIENT_SECRET`]: provider.clientSecret,
          ...Object.fromEntries(
            Object.entries(fields).map(([name, value]) => [`${prefix}_${name.toUpperCase()}`, value]),
          ),
          ...(record.webhook?.operator && { [`${prefix}_WEBHOOK_SECRET`]: provider.webhookKey.secret }),
        },
      };
    },
    /** A provider that is connected with a key. Returns the one that works. */
    addKey(record: KeyRecord): SimulatedKey {
      const key = createKey(record);
      keys.set(record.id, key);
      return key;
    },
    /** What the person does on the provider's page. Throws if the provider wouldn't have shown one. */
    consent: (authorizationUrl: string, options: ConsentOptions = {}): string =>
      giveConsent(findByAuthorization(authorizationUrl), authorizationUrl, options, now()),
    /** The next requests of this kind fail. With `afterWork`, only the response does. */
    fail(provider: string, kind: Kind, fault: Fault, { times = 1, afterWork = false } = {}): void {
      plans.push({ provider: get(provider).record.id, kind, fault, left: times, afterWork });
    },
    /** From now on, everything works. */
    mend(): void {
      plans.length = 0;
    },
    /** The newest consent's access tokens end early. Its refresh token still works. */
    endAccess(id: string): void {
      for (const token of get(id).grants.at(-1)?.access ?? []) endToken(token, now(), 'the token was ended early');
    },
    /** The person withdraws every consent at the provider, without telling us. */
    withdraw(id: string): void {
      for (const grant of get(id).grants) endGrant(grant, now(), 'the person has withdrawn the consent');
    },
    /** The same for the newest consent, and what the provider then sends to this address. */
    withdrawAndTell(id: string, event: string, url: string) {
      const provider = get(id);
      const grant = provider.grants.at(-1);
      assert.ok(grant, `Nobody has consented at ${id}.`);
      endGrant(grant, now(), 'the person has withdrawn the consent');
      return buildWithdrawal(provider, grant, { event, url, now: now() });
    },
    /** From now on, a revocation is answered with success, and does only this. */
    pretendToRevoke(id: string, revocation: 'nothing' | 'refresh_only'): void {
      get(id).quirks.revocation = revocation;
    },
    /** From now on, revocations do again what they say. */
    revokeHonestly(id: string): void {
      delete get(id).quirks.revocation;
    },
    /** What was issued last for the newest consent, and who consented. */
    issued(id: string) {
      const grant = get(id).grants.at(-1);
      return {
        account: grant?.account ?? null,
        scopes: grant?.scopes ?? [],
        accessToken: grant?.access.at(-1)?.value ?? null,
        refreshToken: grant?.refresh.at(-1)?.value ?? null,
        expiresAt: grant?.access.at(-1)?.expiresAt ?? null,
      };
    },
    /** What the newest consent covers, as it was listed last. */
    sitesOf: (id: string) => get(id).grants.at(-1)?.sites ?? [],
    /** From now on, calls for the newest consent must be for this one. */
    expectSite(id: string, siteId: string): void {
      const grant = get(id).grants.at(-1);
      const site = grant?.sites.find((one) => one.id === siteId);
      assert.ok(grant && site, `${id} has not listed the site "${siteId}".`);
      grant.site = site;
    },
    /** A request to the API that needs the chosen site, as a caller of the proxy sends it. */
    siteCallOf(id: string) {
      const call = siteCallOf(get(id).record);
      assert.ok(call, `No request of ${id} needs a site.`);
      return call;
    },
    /** A request to the API for the newest consent, as a caller of the proxy sends it. */
    verificationOf(id: string) {
      const provider = get(id);
      const { api } = provider.record;
      assert.ok(api, `${id} has no API.`);
      const call = callOf(api);
      const values = withDefaults(provider, provider.grants.at(-1)?.values ?? {});
      return { ...call, path: fill(call.path, values) };
    },
    requestsOf: (id: string, kind: Kind): LoggedRequest[] =>
      requests.filter((request) => request.provider === id && request.kind === kind),
    /** Everything that happened at this provider, for the message of a failing test. */
    explain: (id: string): string =>
      [
        ...requests
          .filter(({ provider }) => provider === id)
          .flatMap(({ kind, method, address, status, reasons, fault }) => [
            `${kind}: ${method} ${address} → ${status}${fault ? ` (fault: ${fault})` : ''}`,
            ...reasons.map((reason) => `  refused: ${reason}`),
          ]),
        ...strays.map((stray) => `got to no provider: ${stray}`),
      ].join('\n'),
    async stop(): Promise<void> {
      stopping.abort();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

export type ProviderSimulator = Awaited<ReturnType<typeof startProviderSimulator>>;
