import { PatchbayError } from './patchbay-error.js';
const quote = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const toPattern = (address) => {
    const source = address
        .replace(/\/+$/, '')
        .split(/(\{\+?\w+\})/)
        .map((part) => (part.startsWith('{') ? (part.startsWith('{+') ? '.*' : '[^/]*') : quote(part)))
        .join('');
    const origin = address.startsWith('{') ? 'https?://' : '';
    return new RegExp(`^${origin}${source}(?=/|$)`);
};
const findTarget = (url, { url: main, hosts }) => {
    const address = `${url.origin}${url.pathname}`;
    const [found] = [[undefined, main], ...Object.entries(hosts)]
        .map(([host, base]) => ({ host, length: toPattern(base).exec(address)?.[0].length ?? 0 }))
        .filter(({ length }) => length > 0)
        .sort((left, right) => right.length - left.length);
    return found ? { host: found.host, path: `${address.slice(found.length) || '/'}${url.search}` } : null;
};
const CHOOSING = new Set(['connection', 'patchbay-host']);
const withoutChoice = (path) => {
    const [before = '', query] = path.split(/\?(.*)/s);
    if (query === undefined)
        return path;
    const nameOf = (field) => [...new URLSearchParams(field).keys()][0]?.toLowerCase() ?? '';
    const kept = query.split('&').filter((field) => !CHOOSING.has(nameOf(field)));
    return kept.length > 0 ? `${before}?${kept.join('&')}` : before;
};
const withConnection = (path, connection) => {
    const [whole = ''] = path.split('#');
    if (connection === undefined)
        return whole;
    return `${whole}${whole.includes('?') ? '&' : '?'}connection=${encodeURIComponent(connection)}`;
};
const isRequest = (input) => typeof Request !== 'undefined' && input instanceof Request;
const initOf = ({ method, headers, body, signal }) => ({ method, headers, body, signal });
const checkIsPath = (path) => {
    if (!/^[a-z][a-z\d+.-]*:\/\//i.test(path))
        return path;
    throw new PatchbayError('client.path_refused', "This takes a path of the provider's API. For its URLs, use `fetchOf`.");
};
const toResponse = (error) => {
    if (!(error instanceof PatchbayError) || !error.problem)
        throw error;
    const { status, problem, retryAfterSeconds } = error;
    const headers = new Headers({
        'content-type': 'application/problem+json; charset=utf-8',
        'patchbay-from': 'patchbay',
    });
    if (retryAfterSeconds !== null)
        headers.set('retry-after', String(retryAfterSeconds));
    return new Response(JSON.stringify(problem), { status, headers });
};
export const createProviderFetch = ({ call, pass }) => {
    const request = (provider, { path, host }, connection, init) => {
        const headers = new Headers(init.headers);
        headers.delete('patchbay-host');
        if (host !== undefined)
            headers.set('patchbay-host', host);
        headers.set('patchbay-links', 'original');
        const whole = path.startsWith('/') ? path : `/${path}`;
        return pass(provider, withConnection(whole, connection), { ...init, headers });
    };
    const findApi = async (provider) => {
        const { providers } = await call('GET /api/integrations/providers');
        const api = providers.find(({ id }) => id === provider)?.api;
        if (api)
            return api;
        throw new PatchbayError('client.address_refused', `Patchbay knows no API of "${provider}".`);
    };
    return {
        fetch: async (provider, path, { connection, host, ...init }) => request(provider, { path: checkIsPath(path), host }, connection, init),
        fetchOf(provider, { connection, host }) {
            let api;
            const getApi = () => {
                api ??= findApi(provider).catch((error) => {
                    api = undefined;
                    throw error;
                });
                return api;
            };
            const locate = async (address) => {
                if (!URL.canParse(address))
                    return { path: address, host };
                const url = new URL(address);
                const target = findTarget(url, await getApi());
                if (target)
                    return target;
                throw new PatchbayError('client.address_refused', `${url.origin} isn't where the API of "${provider}" is.`);
            };
            const send = async (input, init = {}) => {
                const { path, host: at } = await locate(isRequest(input) ? input.url : String(input));
                const target = { path: withoutChoice(path), host: at };
                return request(provider, target, connection, isRequest(input) ? { ...initOf(input), ...init } : init);
            };
            return (input, init) => send(input, init).catch(toResponse);
        },
    };
};
