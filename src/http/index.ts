/**
 * The server: who is calling, problem responses, limits, OpenAPI. Other parts of the service add their routes to it.
 */
export { listenWidely } from './connections/listen-widely.ts';
export { type Access, describeWanted, type Role } from './contract/access.ts';
export { type Caller, type CallerSource, type Customer, callerOf, type Resolved } from './contract/caller.ts';
export { sendCsv, wantsCsv } from './contract/csv-response.ts';
export type { DescribedRequests } from './contract/described-requests.ts';
export { LIMITS } from './contract/limits.ts';
export {
  type Allowed,
  type AllowedAccount,
  type Restriction,
  RIGHT_NAMES,
  RIGHTS,
  type Right,
} from './contract/restriction.ts';
export { routeOptions, withOptionalBody, withRight } from './contract/route-options.ts';
export type { Routes, Server } from './contract/routes.ts';
export { adminOnly, databaseAway, invalidInput, notFound, rateLimited, unauthorized } from './errors.ts';
export { createCallerLimit } from './guard/caller-limit.ts';
export { createCallerTurns } from './guard/caller-turns.ts';
export { clearCookie, cookieOf, setCookie } from './guard/cookies.ts';
export { isForeignNavigation, refuseForeignForm } from './guard/foreign-form.ts';
export { createStrangerGate, REFUSALS_PER_MINUTE, waitBeforeBody } from './guard/stranger-gate.ts';
export { strangerKey } from './guard/stranger-key.ts';
export { traceOf } from './guard/trace-requests.ts';
export { addAsset } from './pages/assets.ts';
export type { FrameOf } from './pages/docs-page.ts';
export { type Brand, leadOn, type Page, refusalPage, sendPage } from './pages/page.ts';
export { getsPage } from './pages/refusals.ts';
export { createStaticFile, type StaticFile } from './pages/static-file.ts';
export { toRefusal } from './problems/problem.ts';
export { useForms } from './schemas/forms.ts';
export { useRawBody } from './schemas/raw-body.ts';
export { createServer } from './server.ts';
