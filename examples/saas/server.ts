// Shipshape: a product whose customers connect their own accounts. Everything that a product does with Patchbay on its
// backend is in this file. `npm run example` starts it, and Patchbay next to it.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
// In your product: from '@patchbay/client'.
import {
  type CustomerTeam,
  Patchbay,
  PatchbayError,
  type PatchbayEvent,
  verifyEvent,
} from '../../packages/client/src/index.ts';

const { PATCHBAY_URL = '', PATCHBAY_OPERATOR_TOKEN, PATCHBAY_EVENT_SECRET, PORT = '4000' } = process.env;

/** The operator's token gives access to every customer's team. It never leaves this server. */
const patchbay = new Patchbay({ url: PATCHBAY_URL, token: PATCHBAY_OPERATOR_TOKEN });

/** Without a slash at the end, which would be one too many in the page and its policy. */
const PATCHBAY_ORIGIN = new URL(PATCHBAY_URL).origin;

const CUSTOMERS = [
  { id: 'customer-1', name: 'Acme' },
  { id: 'customer-2', name: 'Globex' },
];
const USERS = [
  { id: 'ann', name: 'Ann', customer: 'customer-1' },
  { id: 'bob', name: 'Bob', customer: 'customer-2' },
];

type User = (typeof USERS)[number];

/**
 * FOR THIS DEMO ONLY: anyone can choose who they are. In your product, your own sign-in says who the user is. What
 * matters is that user and customer come from there, and never from what the page sends.
 */
const userOf = ({ headers }: IncomingMessage): User => {
  const [, id] = /(?:^|; )user=(\w+)/.exec(headers.cookie ?? '') ?? [];
  return USERS.find((user) => user.id === id) ?? (USERS[0] as User);
};

/** The list as the provider has it, through Patchbay's proxy, which adds the credential and renews it if needed. */
const listContacts = async (team: CustomerTeam, path: string): Promise<object> => {
  try {
    const response = await team.fetch('sandbox', path);
    // Patchbay has already renewed the token and tried again.
    if (response.status === 401) return { state: 'reconnect' };
    if (response.status === 429)
      return { state: 'busy', retryAfterSeconds: Number(response.headers.get('retry-after')) };
    if (!response.ok) return { state: 'unavailable' };
    return { state: 'connected', ...((await response.json()) as object) };
  } catch (error) {
    if (!(error instanceof PatchbayError)) throw error;
    if (error.code === 'integrations.not_connected') return { state: 'disconnected' };
    if (error.code === 'integrations.needs_reconnect') return { state: 'reconnect' };
    return { state: 'unavailable' };
  }
};

/** FOR THIS DEMO ONLY: in memory. In your product, it's a table whose key is the event's ID. */
const eventsOf = new Map<string, PatchbayEvent[]>(CUSTOMERS.map(({ id }) => [id, []]));
const MOST_EVENTS = 20;

type OpenPage = { customer: string; response: ServerResponse };

/** Where new events appear at once. */
const openPages = new Set<OpenPage>();

/** What an event is about. What happened at a customer's account has the provider's own type. */
const subjectOf = (event: PatchbayEvent): string => {
  if (event.type === 'provider.event' && 'type' in event.data) return `${event.data.provider} ${event.data.type}`;
  return 'provider' in event.data ? String(event.data.provider) : '';
};

const linesOf = (customer: string): string[] =>
  (eventsOf.get(customer) ?? []).map((event) =>
    [event.timestamp.slice(0, 19).replace('T', ' '), event.type, subjectOf(event)].join(' ').trim(),
  );

const sendLines = ({ customer, response }: OpenPage): void => {
  response.write(`data: ${JSON.stringify(linesOf(customer))}\n\n`);
};

/** An event can arrive twice, and in any order. A test is about no customer. */
const keepEvent = (event: PatchbayEvent): void => {
  const { key } = event.team;
  const events = eventsOf.get(key ?? '');
  if (!events || events.some(({ id }) => id === event.id)) return;
  events.push(event);
  events.sort((one, other) => other.sequence - one.sequence).splice(MOST_EVENTS);
  for (const page of openPages) if (page.customer === key) sendLines(page);
};

const LARGEST_EVENT_BYTES = 64 * 1024;

/** As it arrived, because that's what is signed. Before it's verified, it could be from anyone. */
const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > LARGEST_EVENT_BYTES) throw new Error('This is too large for an event.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** Patchbay sends events here, and sends them again later unless the answer is 2xx. */
const receiveEvent = async (request: IncomingMessage): Promise<number> => {
  const body = await readBody(request);
  try {
    keepEvent(await verifyEvent(body, request.headers, PATCHBAY_EVENT_SECRET));
    return 204;
  } catch (error) {
    if (!(error instanceof PatchbayError)) throw error;
    process.stderr.write(`An event was refused: ${error.message}\n`);
    return 400;
  }
};

/** The events of the user's customer now, and again whenever there's a new one. */
const watchEvents = (request: IncomingMessage, response: ServerResponse): void => {
  const page = { customer: userOf(request).customer, response };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  sendLines(page);
  openPages.add(page);
  response.once('close', () => openPages.delete(page));
};

type Answer = { body?: object; headers?: Record<string, string> };

/** The token works in this user's browser, for these providers. */
const createSession = async (request: IncomingMessage): Promise<Answer> => {
  const { id, name, customer } = userOf(request);
  const session = await patchbay.team(customer).createSession({ user: { key: id, name }, providers: ['sandbox'] });
  return { body: { token: session.token, expiresAt: session.expiresAt } };
};

const answers: Record<string, (request: IncomingMessage, query: URLSearchParams) => Promise<Answer>> = {
  'GET /me': async (request) => ({ body: { user: userOf(request), users: USERS, customers: CUSTOMERS } }),

  'POST /sign-in': async (_request, query) => {
    const user = USERS.find(({ id }) => id === query.get('user')) ?? USERS[0];
    return { headers: { 'set-cookie': `user=${user?.id}; Path=/; HttpOnly; SameSite=Strict` } };
  },

  /** The page's button asks for this to show which account is connected, and when it's pressed. */
  'GET /patchbay-session': createSession,
  'POST /patchbay-session': createSession,

  'GET /contacts': async (request, query) => {
    const team = patchbay.team(userOf(request).customer);
    const page = Number.parseInt(query.get('page') ?? '1', 10) || 1;
    return { body: await listContacts(team, `/contacts?page=${page}`) };
  },

  /** What it's like when a provider has had enough. */
  'GET /busy': async (request) => ({ body: await listContacts(patchbay.team(userOf(request).customer), '/busy') }),
};

const read = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const PAGE = read('page.html').replaceAll('{{patchbay}}', PATCHBAY_ORIGIN);

/** With the events of now, so that it also works without its script. */
const renderPage = (request: IncomingMessage): string => {
  const lines = linesOf(userOf(request).customer).map((line) => `<li>${escapeHtml(line)}</li>`);
  return PAGE.replace('{{events}}', () => lines.join('\n'));
};

const SCRIPT = read('page.js');
const STYLES = read('page.css');

const files: Record<string, { type: string; text(request: IncomingMessage): string }> = {
  'GET /': { type: 'text/html; charset=utf-8', text: renderPage },
  'GET /page.js': { type: 'text/javascript; charset=utf-8', text: () => SCRIPT },
  'GET /page.css': { type: 'text/css; charset=utf-8', text: () => STYLES },
};

/** Nothing inline, and from Patchbay the one script and its API. */
const POLICY = [
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  `script-src 'self' ${PATCHBAY_ORIGIN}/connect.js`,
  `connect-src 'self' ${PATCHBAY_ORIGIN}`,
].join('; ');

const server = createServer(async (request, response) => {
  const { method = 'GET', url = '/' } = request;
  // `new URL` throws for some of what anyone can send, and would end the process.
  const [pathname = '', search] = url.split('?');
  response.setHeader('content-security-policy', POLICY).setHeader('x-content-type-options', 'nosniff');
  response.setHeader('cache-control', 'no-store');
  const route = `${method} ${pathname}`;
  const file = files[route];
  if (file) return response.setHeader('content-type', file.type).end(file.text(request));
  const answer = answers[route];
  try {
    // From Patchbay, and not from a page. It proves that with its signature.
    if (route === 'POST /patchbay-events') return response.writeHead(await receiveEvent(request)).end();
    // Pages of other origins must not act in the user's name.
    const isOwn = request.headers['sec-fetch-site'] === 'same-origin';
    if (route === 'GET /events' && isOwn) return watchEvents(request, response);
    if (!answer || !isOwn) return response.writeHead(answer ? 403 : 404).end();
    const { body, headers = {} } = await answer(request, new URLSearchParams(search));
    const type = body ? { 'content-type': 'application/json' } : {};
    return response.writeHead(body ? 200 : 204, { ...headers, ...type }).end(body && JSON.stringify(body));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    // Whatever is left of the request isn't read.
    return response.writeHead(502, { connection: 'close' }).end();
  }
});

// A customer is a team. Creating it again changes nothing.
for (const { id, name } of CUSTOMERS) await patchbay.team(id).put({ name });
server.listen(Number(PORT), '127.0.0.1');
