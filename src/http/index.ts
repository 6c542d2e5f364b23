/** The server: who is calling, problem responses, limits, OpenAPI. Rooms hand it their routes. */
export { type Access, describeWanted, type OperatorDoor, type Role } from './access.ts';
export type { Caller, CallerSource, Resolved } from './caller.ts';
export { type CookieOptions, clearCookie, cookieOf, setCookie } from './cookies.ts';
export { invalidInput, notFound, rateLimited, unauthorized } from './errors.ts';
export { useForms } from './forms.ts';
export { callerOf } from './known-caller.ts';
export { LIMITS } from './limits.ts';
export { leadOn, type Page, sendPage } from './page.ts';
export { createRateLimit, strangerKey } from './rate-limit.ts';
export { useRawBody } from './raw-body.ts';
export type { Routes, Server } from './routes.ts';
export { answersPage, createServer } from './server.ts';
