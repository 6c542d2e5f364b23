import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../../test/harness/free-port.ts';
import { makeTestDirectory } from '../../test/harness/test-directory.ts';

const ROOT = join(import.meta.dirname, '../..');
const TLS = join(ROOT, 'test/harness/tls');
export const HOST = 'patchbay.example.com';

type Place = { directory: string; port: number; upstream: string };

const read = (file: string): string => readFileSync(join(ROOT, 'deploy', file), 'utf8');

/** Replaces a text in the example. Throws if the text isn't there, so that a changed example doesn't go unchecked. */
const replaced = (text: string, from: string, to: string): string => {
  if (!text.includes(from)) throw new Error(`The example doesn't contain "${from}".`);
  return text.replaceAll(from, to);
};

/** Uses the example as it is, except for ports and the certificate, within the rest of Debian's nginx.conf. */
const nginxArguments = async ({ directory, port, upstream }: Place): Promise<string[]> => {
  const plainPort = await findFreePort();
  const site = [
    ['127.0.0.1:3000', upstream],
    ['listen 80;', `listen 127.0.0.1:${plainPort};`],
    ['listen [::]:80;', ''],
    ['listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl http2;`],
    ['listen [::]:443 ssl http2;', ''],
    [`/etc/letsencrypt/live/${HOST}/fullchain.pem`, join(TLS, 'certificate.pem')],
    [`/etc/letsencrypt/live/${HOST}/privkey.pem`, join(TLS, 'key.pem')],
  ].reduce((text, [from = '', to = '']) => replaced(text, from, to), read('nginx.conf'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  );
  const frame = `user root; daemon off; pid ${directory}/pid; error_log ${directory}/error.log; events { worker_connections 768; }
    http { access_log off; gzip on; sendfile on; ${temporary.join(' ')}\n${site}\n}`;
  writeFileSync(join(directory, 'nginx.conf'), frame);
  return ['-c', join(directory, 'nginx.conf')];
};

/** Uses the example as it is, with a certificate that Caddy signs itself. */
const caddyArguments = async ({ directory, port }: Place): Promise<string[]> => {
  const plainPort = await findFreePort();
  const options = `{\n admin off\n local_certs\n skip_install_trust\n http_port ${plainPort}\n https_port ${port}\n}\n`;
  writeFileSync(join(directory, 'Caddyfile'), options + read('Caddyfile'));
  return ['run', '--adapter', 'caddyfile', '--config', join(directory, 'Caddyfile')];
};

const MAKERS = { nginx: nginxArguments, caddy: caddyArguments };
export const PROXIES = Object.keys(MAKERS) as (keyof typeof MAKERS)[];

export const isInstalled = (program: string): boolean =>
  spawnSync(program, [program === 'nginx' ? '-v' : 'version']).error === undefined;

export const startProxy = async (program: keyof typeof MAKERS, upstream: string) => {
  const { path: directory, remove } = makeTestDirectory('patchbay-proxy-');
  const port = await findFreePort();
  mkdirSync(join(directory, 'home'));
  const args = await MAKERS[program]({ directory, port, upstream });
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'] ?? '', HOME: join(directory, 'home'), DOMAIN: HOST, UPSTREAM: upstream },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return {
    port,
    said: () => said,
    async stop(): Promise<void> {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGTERM');
      await ended;
      remove();
    },
  };
};
