import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTranscriptionServer } from '../../test/harness/transcription-server.ts';
import { useStage } from '../../test/harness/use-stage.ts';
import { createOutbound, Secret } from '../platform/index.ts';
import { checkTranscriber } from './check-transcriber.ts';
import { examine } from './finding.ts';

const KEY = 'key-of-the-transcription-server';

describe('the doctor', () => {
  const stage = useStage(() => startTranscriptionServer({ key: KEY }));
  const ownOutbound = createOutbound({ allowPrivate: false });

  const check = async ({ path = '/v1/audio/transcriptions', key = KEY, url = stage.url } = {}) => {
    const transcriber = { url: `${url}${path}`, key: new Secret(key), model: 'small' };
    const look = () => checkTranscriber({ ownOutbound, transcriber });
    const [finding] = [await examine('transcripts', 'Look at it.', look)].flat();
    assert.ok(finding);
    assert.doesNotMatch(finding.message, new RegExp(KEY));
    return [finding.state, finding.message] as const;
  };

  test('says that the transcription server responds, without sending audio', async () => {
    assert.equal((await check())[0], 'ok');
    assert.deepEqual(stage.heard, []);
  });

  test('says what to do if it refuses', async () => {
    const [state, message] = await check({ key: 'another' });
    assert.deepEqual([state, /401.*TRANSCRIBE_KEY/.test(message)], ['trouble', true]);
    const [elsewhere, why] = await check({ path: '/inference' });
    assert.deepEqual([elsewhere, /404.*TRANSCRIBE_URL/.test(why)], ['trouble', true]);
  });

  test('says that it is away, and nothing if there is none', async () => {
    const gone = await startTranscriptionServer();
    await gone.close();
    const [state, message] = await check({ url: gone.url });
    assert.deepEqual([state, /ECONNREFUSED.*Look at it\./.test(message)], ['trouble', true]);
    assert.deepEqual(await checkTranscriber({ ownOutbound, transcriber: null }), []);
  });
});
