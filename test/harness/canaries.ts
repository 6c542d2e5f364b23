import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

export type Canaries = Record<string, string>;

/** Every encoding in which a secret could leak. */
const spellingsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('base64url'),
  Buffer.from(secret).toString('hex'),
  ...(/^[\w+/]{43}=$/.test(secret)
    ? [Buffer.from(secret, 'base64').toString('hex'), Buffer.from(secret, 'base64').toString('base64url')]
    : []),
];

/** The names of the canaries found in these places, each with its place. */
export const findCanaries = (canaries: Canaries, places: Readonly<Record<string, string | Buffer>>): string[] => {
  const texts = Object.entries(places).map(([place, text]) => ({ place, bytes: Buffer.from(text) }));
  return Object.entries(canaries).flatMap(([name, secret]) => {
    const spellings = spellingsOf(secret);
    return texts
      .filter(({ bytes }) => spellings.some((spelling) => bytes.includes(spelling)))
      .map(({ place }) => `${name} in ${place}`);
  });
};

/** Secrets of full strength that occur nowhere else. */
export const makeCanary = (): string => `canary-${randomBytes(24).toString('base64url')}`;

/**
 * Every file under the directory, byte by byte: the database, its write-ahead log and whatever else is kept. Another
 * process copies them. A process that reads the files of its own SQLite database drops the locks on them, and the next
 * process that opens the database takes the shared memory away (SIGBUS).
 */
export const readFiles = (directory: string): Record<string, Buffer> => {
  const copy = mkdtempSync(join(tmpdir(), 'patchbay-copy-'));
  try {
    execFileSync('cp', ['-R', `${directory}/.`, copy]);
    return Object.fromEntries(
      readdirSync(copy, { recursive: true, encoding: 'utf8' })
        .filter((name) => statSync(join(copy, name)).isFile())
        .map((name) => [join(directory, name), readFileSync(join(copy, name))]),
    );
  } finally {
    rmSync(copy, { recursive: true });
  }
};

/** Every row of every table, as text. */
export const dumpPostgresql = async (url: string): Promise<Record<string, string>> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: tables } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const dump: Record<string, string> = {};
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
    dump[`table ${name}`] = rows.map(({ row }) => row).join('\n');
  }
  await client.end();
  return dump;
};
