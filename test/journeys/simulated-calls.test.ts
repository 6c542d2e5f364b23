import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { SECRETS } from '../harness/app.ts';
import { createTestStore, onOneEngine } from '../harness/databases.ts';
import { runProgram } from '../harness/run-command.ts';
import { openServeStage } from '../harness/serve-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

type Call = { id: string; externalId: string; outcome: string; status: string; from: string; startedAt: string };
type Story = Call & { events: object[]; recordings: { id: string; state: string }[] };

const COUNT = 12;
const SEED = '42';

onOneEngine('calls without a phone', (engine) => {
  // The second one differs in its ids and headers, which no database sees.
  for (const provider of engine === 'sqlite' ? ['twilio', 'signalwire'] : ['twilio'])
    test(`from ${provider} are played, listed and described, and their recordings are fetched and played back`, async (context) => {
      const stage = openServeStage(context);
      const { settings, remove } = await createTestStore(engine);
      context.after(remove);
      const env = {
        ...SECRETS,
        PATCHBAY_DATA: settings.dataDirectory,
        DATABASE_URL: settings.url?.reveal() ?? '',
      };
      const serving = await stage.serve(env);
      await serving.ready();
      const args = ['simulate', 'calls', '--provider', provider, '--count', `${COUNT}`, '--seed', SEED, '--json'];
      const ran = await runProgram(args, { ...env, PORT: String(serving.port) });
      assert.equal(ran.code, 0, `${ran.stdout}${ran.stderr}`);
      const { requests, refused, recordings } = JSON.parse(ran.stdout);
      assert.equal(refused, 0);
      assert.ok(requests > COUNT * 4, `${requests}`);
      assert.ok(recordings.expected > 0, 'Some leave a message.');
      assert.deepEqual(recordings.archived, recordings.expected);

      const headers = { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}` };
      const get = async <Body>(path: string): Promise<Body> => {
        const answer = await serving.fetch(path, { headers });
        assert.equal(answer.status, 200, path);
        return (await answer.json()) as Body;
      };
      const listCalls = async () => (await get<{ calls: Call[] }>('/api/calls?limit=100')).calls;
      await waitUntil(
        'every call has ended',
        async () => (await listCalls()).filter(({ status }) => status === 'ended').length >= COUNT,
      );
      const calls = await listCalls();
      assert.equal(calls.length, COUNT, 'Each call is there once, however often it was told.');
      assert.ok(calls.every(({ status, from }) => status === 'ended' && from.startsWith('+1555555')));
      const outcomes = new Set(calls.map(({ outcome }) => outcome));
      assert.deepEqual([...outcomes].sort(), ['abandoned', 'answered', 'missed', 'voicemail']);
      const newestFirst = [...calls].sort((left, right) => (left.startedAt < right.startedAt ? 1 : -1));
      assert.deepEqual(
        calls.map(({ startedAt }) => startedAt),
        newestFirst.map(({ startedAt }) => startedAt),
      );

      const withMessage = calls.find(({ outcome }) => outcome === 'voicemail') ?? assert.fail('no message');
      const story = await get<Story>(`/api/calls/${withMessage.id}`);
      assert.ok(story.events.length >= 4, JSON.stringify(story.events));
      const [recording] = story.recordings;
      assert.equal(recording?.state, 'archived');
      const { recording: told } = await get<{ recording: { sha256: string; bytes: number } }>(
        `/api/recordings/${recording?.id}`,
      );
      const audio = `/api/recordings/${recording?.id}/audio`;
      const whole = await serving.fetch(audio, { headers });
      assert.equal(whole.headers.get('content-type'), 'audio/wav');
      assert.equal(whole.headers.get('accept-ranges'), 'bytes');
      const bytes = Buffer.from(await whole.arrayBuffer());
      assert.equal(createHash('sha256').update(bytes).digest('hex'), told.sha256);
      assert.equal(bytes.length, told.bytes);
      const part = await serving.fetch(audio, { headers: { ...headers, range: 'bytes=100-199' } });
      assert.equal(part.status, 206);
      assert.equal(part.headers.get('content-range'), `bytes 100-199/${bytes.length}`);
      assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(100, 200));
    });
});
