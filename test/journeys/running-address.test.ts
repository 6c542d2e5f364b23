import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runCommand } from '../harness/run-command.ts';
import { openServeStage } from '../harness/serve-stage.ts';

const ADMIN = 'admin@localhost';

describe('a command next to a service with other settings', () => {
  test('finds the address that the service has, on whatever port', async (context) => {
    const stage = openServeStage(context);
    const PATCHBAY_DATA = stage.newDirectory();
    const serving = await stage.serve({ PATCHBAY_DATA });
    await serving.ready();
    const run = async (args: string, env: Record<string, string> = {}) => {
      const { code, stdout, stderr } = await runCommand([...args.split(' '), '--json'], { PATCHBAY_DATA, ...env });
      assert.equal(code, 0, `${args}: ${stderr}`);
      return JSON.parse(stdout);
    };
    const linkOf = async (env?: Record<string, string>): Promise<string> =>
      new URL((await run(`user link ${ADMIN}`, env)).link.address).origin;

    assert.equal(await linkOf(), `http://localhost:${serving.port}`);
    assert.equal(await linkOf({ PORT: '4999' }), `http://localhost:${serving.port}`);
    const { calls, refused } = await run('simulate calls --count 2');
    assert.deepEqual([calls, refused], [2, 0]);

    await serving.end('SIGKILL');
    assert.equal(await linkOf({ PORT: '4999' }), 'http://localhost:4999', 'Nobody is there anymore.');
    assert.equal(await linkOf({ PATCHBAY_URL: 'http://localhost:4998' }), 'http://localhost:4998');
  });

  test('follows the public address and the rules that come with it', async (context) => {
    const stage = openServeStage(context);
    const PATCHBAY_DATA = stage.newDirectory();
    const PATCHBAY_KEYS = 'k1:u5L2v0xW8nq3Yb7Rz1Kc6Ht9Jd4Mf0Ps2Gw5Xe8Qa7U=';
    const env = { PATCHBAY_DATA, PATCHBAY_KEYS };
    const serving = await stage.serve({ ...env, HOST: '127.0.0.1', PATCHBAY_URL: 'https://patchbay.example.com' });
    await serving.ready();
    const { link } = JSON.parse((await runCommand(['user', 'link', ADMIN, '--json'], env)).stdout);
    assert.match(link.address, /^https:\/\/patchbay\.example\.com\/sign-in\//);
    const simulated = await runCommand(['simulate', 'calls'], env);
    assert.deepEqual([simulated.code, simulated.stderr], [1, "Calls can't be simulated in production.\n"]);
  });
});
