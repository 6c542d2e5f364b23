import { PatchbayError, toError } from './patchbay-error.js';
import { isFromProvider, send } from './send.js';
const toBase = (text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
        throw new PatchbayError('client.url_invalid', '`url` must be the address of Patchbay, such as https://patchbay.example.com, and nothing else.');
    return url.href.replace(/\/+$/, '');
};
const toSegment = (text) => {
    if (/^(?:\.{0,2})$/.test(text))
        throw new PatchbayError('client.path_refused', `"${text}" can't be part of a path.`);
    return encodeURIComponent(text);
};
const LEADS_AWAY = /[\\\t\r\n]|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;
const checkPath = (path) => {
    if (!LEADS_AWAY.test(path.replace(/[?#].*$/s, '')) && !/[\t\r\n]/.test(path))
        return path;
    throw new PatchbayError('client.path_refused', 'The path has dot segments, backslashes, tabs, or line breaks.');
};
const toSearch = (query = {}) => {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
        if (value !== undefined)
            search.set(name, String(value));
    return search.size === 0 ? '' : `?${search}`;
};
const OURS = ['authorization', 'cookie', 'patchbay-team', 'patchbay-user'];
const readJson = async (response) => {
    if (response.status === 204)
        return undefined;
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    if (!response.ok || !isJson)
        throw await toError(response);
    return response.json();
};
export const createApi = (options, as = {}) => {
    const { token, timeoutMs, fetchTimeoutMs } = options;
    const base = toBase(options.url);
    const own = { authorization: `Bearer ${token}`, ...as };
    const readResponse = async (response) => {
        if (isFromProvider(response))
            return response;
        throw await toError(response);
    };
    const request = (name, { path = {}, query, body, signal }, read) => {
        const [method = '', template = ''] = name.split(' ');
        const filled = template.replace(/\{(\w+)\}/g, (_, key) => toSegment(path[key] ?? ''));
        const headers = template.startsWith('/api/operator/') ? { authorization: own.authorization } : own;
        const sent = { method, headers, signal: signal ?? null };
        if (body !== undefined) {
            sent.headers = { ...headers, 'content-type': 'application/json' };
            sent.body = JSON.stringify(body);
        }
        return send({ url: `${base}${filled}${toSearch(query)}`, init: sent, timeoutMs, read });
    };
    return {
        call: async (name, asked = {}) => request(name, asked, readJson),
        open: async (name, asked) => request(name, asked, readResponse),
        async pass(provider, path, init) {
            const headers = new Headers(init.headers);
            for (const name of OURS)
                headers.delete(name);
            for (const [name, value] of Object.entries(own))
                headers.set(name, value);
            const url = `${base}/api/integrations/${toSegment(provider)}/proxy${checkPath(path)}`;
            const method = init.method?.toUpperCase() ?? 'GET';
            const streaming = init.body instanceof ReadableStream ? { duplex: 'half' } : {};
            const sent = { ...init, ...streaming, method, headers };
            return send({ url, init: sent, timeoutMs: fetchTimeoutMs, read: readResponse });
        },
        acting: (other) => createApi(options, other),
    };
};
