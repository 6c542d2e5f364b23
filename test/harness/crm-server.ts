import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

type Body = Record<string, unknown>;
type Asked = { method: string; path: string; query: URLSearchParams; body: Body };
type Replied = { status: number; content: unknown; headers?: Record<string, string> };

/** A contact as a test adds it. */
export type CrmContact = { name: string; phone: string; mobile?: string };
/** An entry of the log: a call, or an activity. */
export type CrmEntry = { id: string; fields: Body; associations: unknown; changes: number };

type Kind = 'hub' | 'pipe';
const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');

/** Reads a body, which may be missing. */
const readBody = async (request: IncomingMessage): Promise<Body> => {
  try {
    return (await json(request)) as Body;
  } catch {
    return {};
  }
};

const ok = (content: unknown, status = 200): Replied => ({ status, content });

/** What HubSpot's search compares: without the country code of North America or Britain, and without separators. */
const searchable = (phone: string): string => digitsOf(phone).replace(/^(?:1(?=\d{10}$)|44)/, '');

const filtersOf = (body: Body): { propertyName: string; value: string }[] =>
  (body['filterGroups'] as { filters: { propertyName: string; value: string }[] }[]).flatMap(({ filters }) => filters);

/**
 * A CRM on loopback that behaves like HubSpot (below `/hub`) and like Pipedrive (below `/pipe`), as far as callers and calls
 * are concerned. A test can hold requests, refuse them, and look at what was stored.
 */
export const startCrm = async () => {
  const contacts: Record<Kind, (CrmContact & { id: string })[]> = { hub: [], pipe: [] };
  const entries: Record<Kind, CrmEntry[]> = { hub: [], pipe: [] };
  const asked: Asked[] = [];
  let last = 0;
  const state = {
    /** Answers a request itself. Null leaves it to the CRM. */
    intervene: (_asked: Asked): Replied | null | Promise<Replied | null> => null,
    /** Drops the response to a request that was carried out. */
    drops: (_asked: Asked): boolean => false,
  };

  const add = (kind: Kind, fields: Body, associations: unknown): CrmEntry => {
    const entry = { id: String(++last), fields, associations, changes: 0 };
    entries[kind].push(entry);
    return entry;
  };

  const change = (kind: Kind, id: string, fields: Body): CrmEntry | undefined => {
    const entry = entries[kind].find((one) => one.id === id);
    if (entry) Object.assign(entry, { fields: { ...entry.fields, ...fields }, changes: entry.changes + 1 });
    return entry;
  };

  const asHub = ({ method, path, body }: Asked): Replied => {
    if (path === '/hub/account-info/v3/details') return ok({ portalId: 4711 });
    if (path === '/hub/crm/v3/objects/contacts/search') {
      const wanted = new Map(filtersOf(body).map(({ propertyName, value }) => [propertyName, value]));
      const results = contacts.hub
        .filter(
          ({ phone, mobile = '' }) =>
            wanted.get('hs_searchable_calculated_phone_number') === searchable(phone) ||
            wanted.get('hs_searchable_calculated_mobile_number') === searchable(mobile),
        )
        .map(({ id, name, phone, mobile = null }) => {
          const [firstname = '', ...rest] = name.split(' ');
          return { id, properties: { firstname, lastname: rest.join(' '), phone, mobilephone: mobile } };
        });
      return ok({ total: results.length, results });
    }
    const properties = (body['properties'] ?? {}) as Body;
    if (path === '/hub/crm/v3/objects/calls/search') {
      const [filter] = filtersOf(body);
      const results = entries.hub
        .filter(({ fields }) => fields['hs_call_external_id'] === filter?.value)
        .map(({ id, fields }) => ({ id, properties: fields }));
      return ok({ total: results.length, results });
    }
    if (path === '/hub/crm/v3/objects/calls' && method === 'POST')
      return ok({ id: add('hub', properties, body['associations'] ?? null).id }, 201);
    const [, id = ''] = /^\/hub\/crm\/v3\/objects\/calls\/([^/]+)$/.exec(path) ?? [];
    const changed = method === 'PATCH' ? change('hub', id, properties) : undefined;
    return changed ? ok({ id }) : { status: 404, content: { status: 'error' } };
  };

  const asPipe = ({ method, path, query, body }: Asked): Replied => {
    if (path === '/pipe/api/v1/users/me') return ok({ data: { id: 7, email: 'sales@pipe.example' } });
    if (path === '/pipe/api/v2/persons/search') {
      const term = query.get('term') ?? '';
      const found = contacts.pipe.filter(({ phone, mobile = '' }) =>
        [phone, mobile].some((one) => digitsOf(one).includes(term)),
      );
      const items = found.map(({ id, name, phone, mobile }) => ({
        item: { id: Number(id), name, phones: [phone, ...(mobile ? [mobile] : [])] },
      }));
      return ok({ success: true, data: { items } });
    }
    if (path === '/pipe/api/v2/activities' && method === 'GET')
      return ok({
        data: entries.pipe.map(({ id, fields }) => ({ ...fields, id: Number(id) })),
        additional_data: { next_cursor: null },
      });
    if (path === '/pipe/api/v2/activities' && method === 'POST')
      return ok({ success: true, data: { id: Number(add('pipe', body, body['participants'] ?? null).id) } }, 201);
    const [, id = ''] = /^\/pipe\/api\/v2\/activities\/([^/]+)$/.exec(path) ?? [];
    const changed = method === 'PATCH' ? change('pipe', id, body) : undefined;
    return changed ? ok({ success: true, data: { id: Number(id) } }) : { status: 404, content: { success: false } };
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://crm.example');
    const received = { method: request.method ?? '', path, query, body: await readBody(request) };
    asked.push(received);
    const replied =
      (await state.intervene(received)) ?? (path.startsWith('/hub/') ? asHub(received) : asPipe(received));
    if (state.drops(received)) return void response.destroy();
    const { status, content, headers = {} } = replied;
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  };

  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    entries,
    /** Every request, in order. */
    asked,
    /** How often callers were looked up. */
    lookups: (): number => asked.filter(({ path }) => /\/(?:contacts|persons)\/search$/.test(path)).length,
    addContact: (kind: Kind, contact: CrmContact): void => void contacts[kind].push({ ...contact, id: String(++last) }),
    /** Answers requests in its place, until `mend`. */
    intervene: (instead: (asked: Asked) => Replied | null | Promise<Replied | null>): void => {
      state.intervene = instead;
    },
    /** Carries requests out, and drops the response to some. */
    dropResponses: (to: (asked: Asked) => boolean): void => {
      state.drops = to;
    },
    mend(): void {
      state.intervene = () => null;
      state.drops = () => false;
    },
    forget(): void {
      asked.length = 0;
      for (const kind of ['hub', 'pipe'] as const) {
        contacts[kind].length = 0;
        entries[kind].length = 0;
      }
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

export type Crm = Awaited<ReturnType<typeof startCrm>>;
