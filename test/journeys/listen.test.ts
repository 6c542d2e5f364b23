import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Patchbay } from '../../packages/client/src/index.ts';
import { startEventReceiver } from '../harness/event-receiver.ts';
import { findFreePort } from '../harness/free-port.ts';
import { makeDataDirectory, startProgram } from '../harness/serve-process.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** With other programs beside it, starting one can take long. */
const START_MS = 40_000;

test('"patchbay listen" sends what a running service records to a developer, and ends on Ctrl+C', async (context) => {
  const directory = makeDataDirectory();
  const receiver = await startEventReceiver();
  const port = await findFreePort();
  const operatorToken = 'operator-token-of-the-listeners-0123456789';
  const env = {
    ...{ HOST: '127.0.0.1', PORT: String(port), PATCHBAY_DATA: directory.path },
    PATCHBAY_OPERATOR_TOKEN: operatorToken,
  };
  const service = startProgram(env);
  const started = [service];
  context.after(async () => {
    for (const program of started) await program.end();
    await receiver.close();
    directory.remove();
  });
  const tokenOf = () => /\bpb_\S+/.exec(service.output.stdout)?.[0];
  await waitUntil('the service is ready', () => tokenOf() !== undefined, START_MS, service);
  const ask = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${tokenOf()}`, ...(body && { 'content-type': 'application/json' }) };
    const init = { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(`http://127.0.0.1:${port}/api/events/endpoints${path}`, init);
    return (await answer.json()) as { id: string };
  };
  const { id } = await ask('', { url: receiver.url, types: ['report.ready'] });
  const operator = new Patchbay({ url: `http://127.0.0.1:${port}`, token: operatorToken });
  const customer = operator.team('customer-42');
  await customer.put({ name: 'Acme' });
  await ask(`/${id}/test`);

  const everywhere = new URL('/customers', receiver.url).href;
  const hearing = startProgram(env, { args: ['listen', '--customers', '--forward-to', everywhere] });
  started.push(hearing);
  const to = new URL('/listening?key=hidden', receiver.url).href;
  const listening = startProgram(env, { args: ['listen', '--forward-to', to, '--type', 'test', '--type', 'call.*'] });
  started.push(listening);
  const wrong = startProgram(env, { args: ['listen', '--forward-to', to, '--type', 'call.*', '--type', 'provider.*'] });
  started.push(wrong);
  assert.equal((await wrong.ended()).code, 2);
  assert.match(wrong.output.stderr, /--type "provider\.\*" is not a type of event/);
  const nowhere = startProgram(env, { args: ['listen', '--type', 'provider.event:github'] });
  started.push(nowhere);
  assert.equal((await nowhere.ended()).code, 2);
  assert.match(nowhere.output.stderr, /--forward-to is missing/);
  const secretOf = () => /whsec_\S+/.exec(listening.output.stdout)?.[0];
  await waitUntil('it listens', () => secretOf() !== undefined, START_MS, listening);
  assert.match(listening.output.stdout, /\/listening\?…/);
  assert.doesNotMatch(listening.output.stdout, /hidden/);
  await waitUntil('something is heard', async () => {
    await ask(`/${id}/test`);
    return receiver.received.some(({ path }) => path.startsWith('/listening'));
  });
  const [first] = receiver.received.filter(({ path }) => path.startsWith('/listening'));
  assert.ok(first);
  assert.equal(first.event.type, 'test');
  assert.deepEqual(receiver.verify(secretOf() ?? '', first), first.event);
  await waitUntil('it says so', () => listening.output.stdout.includes(`${first.event.id}  204`));

  await waitUntil('the other one listens', () => hearing.output.stdout.includes('whsec_'), START_MS, hearing);
  const place = await customer.request('POST /api/events/endpoints', {
    body: { url: receiver.url, types: ['report.ready'] },
  });
  await waitUntil('it names the customer', async () => {
    await customer.request('POST /api/events/endpoints/{id}/test', { params: { id: place.id } });
    return /^test +evt_\S+ {2}204 \(\d+ ms\) {2}customer-42$/m.test(hearing.output.stdout);
  });

  let isAsked = false;
  receiver.respond = ({ path }, response) => {
    if (path.startsWith('/listening')) isAsked = true;
    else receiver.accept({} as never, response);
  };
  await ask(`/${id}/test`);
  await waitUntil('a receiver that is silent was asked', () => isAsked);
  listening.kill('SIGINT');
  const { code, tookMs } = await listening.ended();
  assert.equal(code, 0, listening.output.stderr);
  assert.ok(tookMs < 10_000, `It took ${tookMs} ms.`);
  assert.match(listening.output.stdout, /^Sent \d+ events?, of which \d+ (was|were) accepted\.$/m);
});
