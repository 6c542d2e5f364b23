const PAGE = 100;
export const createEvents = ({ call }) => {
    async function* list({ type, after } = {}, options = {}) {
        for (let from = after;;) {
            const query = { type, after: from, limit: PAGE };
            const { events, nextCursor } = await call('GET /api/events', { ...options, query });
            yield* events;
            if (events.length === 0 && nextCursor === from)
                return;
            from = nextCursor;
        }
    }
    return {
        list,
        payload: async (event, options = {}) => 'payload' in event.data
            ? event.data.payload
            : call('GET /api/events/{id}/payload', { ...options, path: { id: event.id } }),
    };
};
