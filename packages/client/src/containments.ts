import type { Api } from './api.ts';
import type { Operations } from './operations.ts';
import { readPages } from './read-pages.ts';
import type { CallOptions } from './team.ts';

type Place = '/api/containments' | '/api/operator/containments';
type Asked<Where extends Place> = Omit<Operations[`POST ${Where}`]['body'], 'dryRun'>;
type Options<Where extends Place> = Asked<Where> & CallOptions;
type Begun = Extract<Operations['POST /api/containments']['response'], { id: string }>;
type Forecast = Exclude<Operations['POST /api/containments']['response'], { id: string }>;

/** Stops what may have leaked: in the token's team, or with the operator's token in all teams. */
export const createContainments = <Where extends Place>({ call }: Api, where: Where) => ({
  /** Says what would be stopped, and changes nothing. */
  forecast: async ({ signal, ...asked }: Options<Where>): Promise<Forecast> =>
    (await call(`POST ${where}`, { body: { ...asked, dryRun: true }, signal })) as Forecast,
  /** Stops what matches all filters. It takes effect within a second, in every process. */
  begin: async ({ signal, ...asked }: Options<Where>): Promise<Begun> =>
    (await call(`POST ${where}`, { body: { ...asked, dryRun: false }, signal })) as Begun,
  /** Lists containments, newest first. The next page is requested when you get there. */
  list: (options: CallOptions = {}) =>
    readPages(
      (cursor) => call(`GET ${where}`, { ...options, query: { cursor } }),
      (page) => page.containments,
    ),
  /** Returns a containment, with the first of its connections. */
  get: (id: string, options: CallOptions = {}) => call(`GET ${where}/{id}`, { ...options, path: { id } }),
  /** Lists what became of each connection. The next page is requested when you get there. */
  connections: (id: string, options: CallOptions = {}) =>
    readPages(
      (cursor) => call(`GET ${where}/{id}`, { ...options, path: { id }, query: { cursor } }),
      (page) => page.connections,
    ),
  /** Ends a containment. What was revoked has to be connected again. */
  lift: (id: string, options: CallOptions = {}) => call(`DELETE ${where}/{id}`, { ...options, path: { id } }),
});
