import { readPages } from './read-pages.js';
import { sleep } from './send.js';
const LOOK_EVERY_MS = 2_000;
const isOpen = ({ state }) => state === 'waiting' || state === 'sending';
export const createApprovals = ({ call, open }) => {
    const get = (id, options = {}) => call('GET /api/approvals/{id}', { ...options, path: { id } });
    return {
        list: ({ state, ...options } = {}) => readPages((cursor) => call('GET /api/approvals', { ...options, query: { state, cursor } }), (page) => page.approvals),
        get,
        async wait(id, options = {}) {
            for (;;) {
                const approval = await get(id, options);
                if (!isOpen(approval))
                    return approval;
                await sleep(LOOK_EVERY_MS, options.signal);
            }
        },
        response: (id, options = {}) => open('GET /api/approvals/{id}/response', { ...options, path: { id } }),
        approve: (id, options = {}) => call('POST /api/approvals/{id}/approve', { ...options, path: { id } }),
        refuse: (id, options = {}) => call('POST /api/approvals/{id}/refuse', { ...options, path: { id } }),
    };
};
