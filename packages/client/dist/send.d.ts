export type Sent<Result> = {
    url: string;
    init: RequestInit & {
        method: string;
    };
    /** How long an attempt may take, until the response has been read. */
    timeoutMs: number;
    read(response: Response): Promise<Result>;
};
/** The provider's own response came through the proxy. Everything else is from Patchbay. */
export declare const isFromProvider: ({ headers }: Response) => boolean;
/** Sends a request, never follows a redirect, and repeats what may be repeated if Patchbay is busy. */
export declare const send: <Result>({ url, init, timeoutMs, read }: Sent<Result>) => Promise<Result>;
