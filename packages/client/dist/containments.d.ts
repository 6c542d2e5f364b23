import type { Api } from './api.ts';
import type { Operations } from './operations.ts';
import type { CallOptions } from './team.ts';
type Place = '/api/containments' | '/api/operator/containments';
type Asked<Where extends Place> = Omit<Operations[`POST ${Where}`]['body'], 'dryRun'>;
type Options<Where extends Place> = Asked<Where> & CallOptions;
type Begun = Extract<Operations['POST /api/containments']['response'], {
    id: string;
}>;
type Forecast = Exclude<Operations['POST /api/containments']['response'], {
    id: string;
}>;
/** Stops what may have leaked: in the token's team, or with the operator's token in all teams. */
export declare const createContainments: <Where extends Place>({ call }: Api, where: Where) => {
    /** Says what would be stopped, and changes nothing. */
    forecast: ({ signal, ...asked }: Options<Where>) => Promise<Forecast>;
    /** Stops what matches all filters. It takes effect within a second, in every process. */
    begin: ({ signal, ...asked }: Options<Where>) => Promise<Begun>;
    /** Lists containments, newest first. The next page is requested when you get there. */
    list: (options?: CallOptions) => AsyncGenerator<import("./operations.ts").Containment, void, undefined>;
    /** Returns a containment, with the first of its connections. */
    get: (id: string, options?: CallOptions) => Promise<Operations[`GET ${Where}/{id}`]["response"]>;
    /** Lists what became of each connection. The next page is requested when you get there. */
    connections: (id: string, options?: CallOptions) => AsyncGenerator<import("./operations.ts").ContainedConnection, void, undefined>;
    /** Ends a containment. What was revoked has to be connected again. */
    lift: (id: string, options?: CallOptions) => Promise<Operations[`DELETE ${Where}/{id}`]["response"]>;
};
export {};
