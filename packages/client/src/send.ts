import { PatchbayError } from './patchbay-error.ts';

const MOST_ATTEMPTS = 3;
const LONGEST_WAIT_MS = 30_000;
const USUAL_WAIT_MS = 1_000;
const REPEATABLE = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);
const BUSY = new Set([429, 503]);

export type Sent<Result> = {
  url: string;
  init: RequestInit & { method: string };
  /** How long an attempt may take, until the response has been read. */
  timeoutMs: number;
  read(response: Response): Promise<Result>;
};

/** Whether this is the provider's own response, through the proxy. Every other response is from Patchbay. */
export const isFromProvider = ({ headers }: Response): boolean => headers.get('patchbay-from') === 'provider';

const within = async <Result>(
  timeoutMs: number,
  signal: AbortSignal | null | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new DOMException(`Patchbay didn't respond within ${timeoutMs} ms.`, 'TimeoutError')),
    timeoutMs,
  );
  try {
    return await work(signal ? AbortSignal.any([signal, late.signal]) : late.signal);
  } finally {
    clearTimeout(timer);
  }
};

export const sleep = (ms: number, signal: AbortSignal | null | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });

const mayRepeat = ({ method, body }: Sent<unknown>['init']): boolean =>
  REPEATABLE.has(method) && !(body instanceof ReadableStream);

/** How long to wait before trying again, as Patchbay says. Null if we shouldn't try again. */
const waitOf = (response: Response): number | null => {
  if (!BUSY.has(response.status) || isFromProvider(response)) return null;
  const after = response.headers.get('retry-after');
  if (after === null) return USUAL_WAIT_MS;
  const ms = /^\d+$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - Date.now();
  return ms <= LONGEST_WAIT_MS ? Math.max(ms, 0) : null;
};

/** The reason that the system gives, such as ECONNREFUSED. Browsers give none. */
const whyOf = (error: unknown): string => {
  const { code } = Object(Object(error).cause) as { code?: unknown };
  return typeof code === 'string' ? ` (${code})` : '';
};

const unreachable = (url: string, error: unknown): PatchbayError =>
  new PatchbayError(
    'client.unreachable',
    `Patchbay can't be reached at ${new URL(url).origin}${whyOf(error)}. Check that it's running, and that \`url\` is its address. In a browser, PATCHBAY_RETURN_ORIGINS must have the page's origin.`,
    { cause: error },
  );

/** Sends a request, and never follows a redirect. If Patchbay is busy, sends an idempotent request again. */
export const send = async <Result>({ url, init, timeoutMs, read }: Sent<Result>): Promise<Result> => {
  for (let attempt = 1; ; attempt++) {
    const outcome = await within(timeoutMs, init.signal, async (signal) => {
      // Throws if the caller's arguments are invalid. Any later failure is the network's.
      const request = new Request(url, { ...init, redirect: 'manual', signal });
      const response = await fetch(request).catch((error: unknown) => {
        throw signal.aborted ? signal.reason : unreachable(url, error);
      });
      const waitMs = attempt < MOST_ATTEMPTS && mayRepeat(init) ? waitOf(response) : null;
      if (waitMs === null) return { result: await read(response) };
      await response.body?.cancel();
      return { waitMs };
    });
    if ('result' in outcome) return outcome.result;
    await sleep(outcome.waitMs, init.signal);
  }
};
