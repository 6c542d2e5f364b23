/** The part of express-session that is used here, because it ships no types. */
declare module 'express-session' {
  import type { RequestHandler } from 'express';

  export default function session(options: {
    secret: string;
    saveUninitialized: boolean;
    resave: boolean;
  }): RequestHandler;
}
