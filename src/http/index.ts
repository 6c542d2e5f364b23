/** The server: who is calling, problem responses, limits, OpenAPI. Rooms hand it their routes. */
export { listenWidely } from './connections/listen-widely.ts';
export { type Access, describeWanted, type Role } from './contract/access.ts';
export { type Caller, type CallerSource, type Customer, callerOf, type Resolved } from './contract/caller.ts';
export { LIMITS } from './contract/limits.ts';
export { routeOptions, withOptionalBody } from './contract/route-options.ts';
export type { Routes, Server } from './contract/routes.ts';
export { adminOnly, databaseAway, invalidInput, notFound, rateLimited, unauthorized } from './errors.ts';
export { createCallerLimit } from './guard/caller-limit.ts';
export { createCallerTurns } from './guard/caller-turns.ts';
export { clearCookie, cookieOf, setCookie } from './guard/cookies.ts';
export { isForeignNavigation, refuseForeignForm } from './guard/foreign-form.ts';
export { createRateLimit, strangerKey } from './guard/rate-limit.ts';
export { createStrangerGate, REFUSALS_PER_MINUTE, waitBeforeBody } from './guard/stranger-gate.ts';
export { type Brand, leadOn, type Page, sendPage } from './pages/page.ts';
export { toRefusal } from './problems/problem.ts';
export { useForms } from './schemas/forms.ts';
export { useRawBody } from './schemas/raw-body.ts';
export { createServer, getsPage } from './server.ts';
