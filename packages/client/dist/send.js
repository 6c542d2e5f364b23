import { PatchbayError } from './patchbay-error.js';
const MOST_ATTEMPTS = 3;
const LONGEST_WAIT_MS = 30_000;
const USUAL_WAIT_MS = 1_000;
const REPEATABLE = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);
const BUSY = new Set([429, 503]);
export const isFromProvider = ({ headers }) => headers.get('patchbay-from') === 'provider';
const within = async (timeoutMs, signal, work) => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new DOMException(`Patchbay didn't respond within ${timeoutMs} ms.`, 'TimeoutError')), timeoutMs);
    try {
        return await work(signal ? AbortSignal.any([signal, late.signal]) : late.signal);
    }
    finally {
        clearTimeout(timer);
    }
};
export const sleep = (ms, signal) => new Promise((resolve, reject) => {
    const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
    };
    const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
    }, ms);
    if (signal?.aborted)
        stop();
    else
        signal?.addEventListener('abort', stop, { once: true });
});
const mayRepeat = ({ method, body }) => REPEATABLE.has(method) && !(body instanceof ReadableStream);
const waitOf = (response) => {
    if (!BUSY.has(response.status) || isFromProvider(response))
        return null;
    const after = response.headers.get('retry-after');
    if (after === null)
        return USUAL_WAIT_MS;
    const ms = /^\d+$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - Date.now();
    return ms <= LONGEST_WAIT_MS ? Math.max(ms, 0) : null;
};
const whyOf = (error) => {
    const { code } = Object(Object(error).cause);
    return typeof code === 'string' ? ` (${code})` : '';
};
const unreachable = (url, error) => new PatchbayError('client.unreachable', `Patchbay can't be reached at ${new URL(url).origin}${whyOf(error)}. Check that it's running, and that \`url\` is its address. In a browser, PATCHBAY_RETURN_ORIGINS must have the page's origin.`, { cause: error });
export const send = async ({ url, init, timeoutMs, read }) => {
    for (let attempt = 1;; attempt++) {
        const outcome = await within(timeoutMs, init.signal, async (signal) => {
            const request = new Request(url, { ...init, redirect: 'manual', signal });
            const response = await fetch(request).catch((error) => {
                throw signal.aborted ? signal.reason : unreachable(url, error);
            });
            const waitMs = attempt < MOST_ATTEMPTS && mayRepeat(init) ? waitOf(response) : null;
            if (waitMs === null)
                return { result: await read(response) };
            await response.body?.cancel();
            return { waitMs };
        });
        if ('result' in outcome)
            return outcome.result;
        await sleep(outcome.waitMs, init.signal);
    }
};
