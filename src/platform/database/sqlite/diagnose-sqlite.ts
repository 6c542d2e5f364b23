import { statSync } from 'node:fs';
import type { Diagnosis, ScannedRow } from '../database.ts';
import { createSqliteScanner } from './sqlite-scanner.ts';

const sizeOf = (path: string): number =>
  [path, `${path}-wal`].reduce((total, file) => total + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);

/** Diagnoses in a separate process. A value that takes too long to read is null, or `unchecked`. */
export const diagnoseSqlite = async (path: string, timeoutMs: number): Promise<Diagnosis> => {
  const deadline = performance.now() + timeoutMs;
  const scanner = createSqliteScanner(path);
  const ask = <Row extends ScannedRow>(text: string) =>
    scanner.scan<Row>(text, [], Math.max(1, deadline - performance.now()));
  const askIfTime = <Row extends ScannedRow>(text: string) => ask<Row>(text).catch(() => undefined);
  try {
    const names = await ask<[name: string]>("select name from sqlite_schema where type = 'table' order by name");
    const before = performance.now();
    const [[version, now] = ['', Date.now()]] = await ask<[version: string, now: number]>(
      "select sqlite_version(), cast(unixepoch('subsec') * 1000 as integer)",
    );
    const roundTripMs = performance.now() - before;
    const clockSkewMs = now - Date.now();
    const migrations = await askIfTime<[id: string, digest: string]>(
      'select id, digest from schema_migrations order by id',
    );
    const rows = new Map<string, number>();
    for (const [name] of names) {
      const counted = await askIfTime<[rows: number]>(`select count(*) from "${name}"`);
      if (counted?.[0]) rows.set(name, counted[0][0]);
    }
    const pages = await askIfTime<[name: string, bytes: number]>(
      'select m.tbl_name, cast(sum(s.pgsize) as integer) from dbstat s join sqlite_schema m on m.name = s.name group by m.tbl_name',
    );
    const bytes = new Map(pages);
    const check = await askIfTime<[flaw: string]>('pragma quick_check(1)');
    return {
      version,
      roundTripMs,
      clockSkewMs,
      sizeBytes: sizeOf(path),
      integrity: check === undefined ? 'unchecked' : check[0]?.[0] === 'ok' ? 'ok' : 'damaged',
      tables: names.map(([name]) => ({ name, rows: rows.get(name) ?? null, bytes: bytes.get(name) ?? null })),
      pool: null,
      migrations: migrations?.map(([id, digest]) => ({ id, digest })) ?? [],
    };
  } finally {
    scanner.close();
  }
};
