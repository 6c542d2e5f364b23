import { readPages } from './read-pages.js';
export const createContainments = ({ call }, where) => ({
    forecast: async ({ signal, ...asked }) => (await call(`POST ${where}`, { body: { ...asked, dryRun: true }, signal })),
    begin: async ({ signal, ...asked }) => (await call(`POST ${where}`, { body: { ...asked, dryRun: false }, signal })),
    list: (options = {}) => readPages((cursor) => call(`GET ${where}`, { ...options, query: { cursor } }), (page) => page.containments),
    get: (id, options = {}) => call(`GET ${where}/{id}`, { ...options, path: { id } }),
    connections: (id, options = {}) => readPages((cursor) => call(`GET ${where}/{id}`, { ...options, path: { id }, query: { cursor } }), (page) => page.connections),
    lift: (id, options = {}) => call(`DELETE ${where}/{id}`, { ...options, path: { id } }),
});
