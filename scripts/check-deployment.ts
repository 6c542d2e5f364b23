// Runs the examples in deploy/ with the real nginx and Caddy, in front of the real program.
import { SECRETS } from '../test/harness/app.ts';
import { runProgram } from '../test/harness/run-command.ts';
import { makeDataDirectory, startServe } from '../test/harness/serve-process.ts';
import { addPhoneAccount } from '../test/harness/telephony-serve.ts';
import { SERVICE_URL } from '../test/harness/telephony-stage.ts';
import { checkProxy } from './deployment/check-proxy.ts';
import { isInstalled, PROXIES, startProxy } from './deployment/start-proxy.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const data = makeDataDirectory();
const settings = {
  ...SECRETS,
  HOST: '127.0.0.1',
  PATCHBAY_URL: SERVICE_URL,
  PATCHBAY_DATA: data.path,
  PATCHBAY_TRUSTED_PROXIES: '127.0.0.1,::1',
  OAUTH_GITHUB_CLIENT_ID: 'id',
  OAUTH_GITHUB_CLIENT_SECRET: 'secret',
};
const makeLink = async (): Promise<string> => {
  const { stdout } = await runProgram(['user', 'link', 'admin@localhost'], settings);
  return new URL(/http\S+/.exec(stdout)?.[0] ?? '').pathname;
};
const serving = await startServe(settings);
let failed = false;
try {
  await serving.ready();
  const account = await addPhoneAccount(serving);
  for (const program of PROXIES) {
    if (!isInstalled(program)) {
      say(`${program}: not installed. On Debian: apt-get install ${program}`);
      failed = true;
      continue;
    }
    const proxy = await startProxy(program, `127.0.0.1:${serving.port}`);
    try {
      for (const finding of await checkProxy(proxy.port, account, makeLink)) say(`${program}: ${finding}`);
    } catch (error) {
      failed = true;
      say(`${program}: failed. ${error instanceof Error ? error.message : String(error)}\n${proxy.said()}`);
    } finally {
      await proxy.stop();
    }
  }
} finally {
  await serving.end();
  data.remove();
}
process.exitCode = failed ? 1 : 0;
