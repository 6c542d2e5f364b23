// The npm package `grant` as its documentation sets it up on Express: session, state and PKCE on.
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import session from 'express-session';
import { reportToParent } from '../child-server.ts';

// The types of `grant` describe a default export, which the module doesn't have, because it's CommonJS.
const grant: typeof import('grant').default = createRequire(import.meta.url)('grant');

const app = express();
app.disable('x-powered-by');
app.use(session({ secret: 'of-the-benchmark', saveUninitialized: true, resave: false }));
app.use(
  grant.express({
    defaults: { origin: 'http://localhost:3000', transport: 'session', state: true, pkce: true },
    google: {
      key: 'client-of-google',
      secret: 'secret-of-google',
      scope: ['openid', 'email', 'profile'],
      callback: '/home',
    },
  }) as unknown as RequestHandler,
);
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  reportToParent({ url: `http://127.0.0.1:${port}/connect/google`, headers: {} });
});
