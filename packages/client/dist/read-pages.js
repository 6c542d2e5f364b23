export async function* readPages(read, rowsOf) {
    let cursor;
    do {
        const page = await read(cursor);
        yield* rowsOf(page);
        cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
}
