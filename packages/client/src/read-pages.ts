type Page = { nextCursor: string | null };

/** Reads a list, newest first. The next page is requested when you get there. */
export async function* readPages<One extends Page, Row>(
  read: (cursor: string | undefined) => Promise<One>,
  rowsOf: (page: One) => readonly Row[],
): AsyncGenerator<Row, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield* rowsOf(page);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
