import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

/** Each room with the rooms it may use. What a room needs from one above it is passed in by `app.ts`. */
const MAY_USE: Record<string, readonly string[]> = {
  platform: [],
  http: ['platform'],
  jobs: ['platform'],
  vault: ['platform'],
  mail: ['platform'],
  oauth: ['platform'],
  teams: ['platform', 'http', 'jobs', 'vault', 'mail'],
  events: ['platform', 'http', 'jobs', 'vault', 'mail', 'teams'],
  integrations: ['platform', 'http', 'jobs', 'vault', 'mail', 'oauth', 'teams', 'events'],
  telephony: ['platform', 'http', 'jobs', 'vault', 'mail', 'teams', 'events', 'integrations'],
  notices: ['platform', 'http', 'jobs', 'vault', 'mail', 'teams', 'events', 'integrations', 'telephony'],
  reports: ['platform', 'http', 'jobs', 'vault', 'mail', 'teams', 'events', 'integrations', 'telephony', 'notices'],
  agents: ['platform', 'http', 'jobs', 'oauth', 'teams', 'integrations', 'telephony', 'reports'],
  imports: ['platform', 'mail', 'teams', 'integrations'],
  archive: ['platform', 'jobs', 'vault'],
  operations: [
    'platform',
    'http',
    'jobs',
    'vault',
    'mail',
    'teams',
    'events',
    'integrations',
    'telephony',
    'notices',
    'reports',
  ],
  dashboard: [
    'platform',
    'http',
    'jobs',
    'vault',
    'mail',
    'teams',
    'events',
    'integrations',
    'telephony',
    'notices',
    'reports',
    'operations',
  ],
  config: ['platform', 'vault', 'teams', 'integrations', 'telephony'],
};

/** As many words as fit on a page. */
const MOST_WORDS_OF_A_DECISION = 600;

/** Files beside the rooms within a room that all of them may use. */
const GROUND = ['errors.ts', 'context.ts', 'limits.ts'];

/** The rooms within the large rooms, lowest first: each may use those before it. The files beside them may use all. */
const SUB_ROOMS: Record<string, readonly string[]> = {
  http: ['contract', 'guard', 'problems', 'pages', 'schemas', 'connections'],
  teams: [
    'records',
    'audit',
    'team',
    'tokens',
    'links',
    'sessions',
    'audit-reading',
    'members',
    'sign-in',
    'outside',
    'operator',
    'erasure',
    'commands',
  ],
  events: ['log', 'endpoints', 'attempts', 'sending', 'alerts'],
  integrations: [
    'catalogue',
    'requests',
    'clients',
    'containment',
    'connections',
    'due',
    'refresh',
    'sites',
    'withdrawals',
    'webhooks',
    'keys',
    'verification',
    'usage',
    'request-log',
    'proxy',
    'people',
    'approvals',
    'incidents',
    'set-up',
    'connect',
    'key-form',
    'hosted',
    'imported-connections',
    'checking',
    'sandbox',
  ],
  telephony: [
    'contract',
    'provider-parts',
    'markup',
    'providers',
    'accounts',
    'budget',
    'audio',
    'transcripts',
    'recordings',
    'transcription',
    'people',
    'calls',
    'call-log',
    'figures',
    'processing',
    'deliveries',
    'crm',
    'erasure',
    'admin',
    'simulator',
  ],
  notices: ['dispatches', 'slack', 'alerts'],
  reports: ['week', 'figures', 'rendering', 'ledger', 'sending', 'runs', 'reading'],
  agents: ['tools', 'mcp', 'clients', 'consent', 'authorization'],
};

const sources = globSync('src/**/*.ts').sort();
const isTest = (file: string): boolean => file.endsWith('.test.ts');
const roomOf = (file: string): string | null => /^src\/([^/]+)\//.exec(file)?.[1] ?? null;

const subRoomOf = (file: string): string | null => /^src\/[^/]+\/([^/]+)\//.exec(file)?.[1] ?? null;

const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, path = '']) =>
    normalize(join(dirname(file), path)),
  );

test('every folder in src is a room', () => {
  const rooms = new Set(sources.map(roomOf).filter((room) => room !== null));
  assert.deepEqual(
    [...rooms].filter((room) => !(room in MAY_USE)),
    [],
  );
});

test('dependencies go down only, and through the front door', () => {
  const wrong = sources
    .filter((file) => !isTest(file))
    .flatMap((file) => {
      const room = roomOf(file);
      return importsOf(file)
        .filter((target) => roomOf(target) !== room)
        .filter((target) => {
          const other = roomOf(target);
          // Only the files that assemble the rooms may use each other and every room.
          if (other === null) return room !== null;
          return target !== `src/${other}/index.ts` || (room !== null && !MAY_USE[room]?.includes(other));
        })
        .map((target) => `${file} → ${target}`);
    });
  assert.deepEqual(wrong, []);
});

for (const [room, order] of Object.entries(SUB_ROOMS)) {
  const inside = sources.filter((file) => roomOf(file) === room && !isTest(file) && !file.includes('/fixtures/'));

  test(`every folder in ${room} has its place in the order`, () => {
    assert.deepEqual([...new Set(inside.map(subRoomOf))].sort(), [null, ...order].sort());
  });

  test(`dependencies within ${room} go one way`, () => {
    const wrong = inside.flatMap((file) => {
      const from = subRoomOf(file);
      return importsOf(file)
        .filter((target) => from !== null && roomOf(target) === room && subRoomOf(target) !== from)
        .filter((target) => {
          const to = subRoomOf(target);
          return to === null
            ? !GROUND.some((name) => target.endsWith(`/${name}`))
            : order.indexOf(to) > order.indexOf(from ?? '');
        })
        .map((target) => `${file} → ${target}`);
    });
    assert.deepEqual(wrong, []);
  });
}

test('a folder shows at most twenty files', () => {
  const counts = Map.groupBy(
    sources.filter((file) => !isTest(file) && !file.includes('/fixtures/')),
    dirname,
  );
  const large = [...counts].filter(([, files]) => files.length > 20).map(([folder, files]) => [folder, files.length]);
  assert.deepEqual(large, []);
});

test('files do not import each other in cycles', () => {
  const targets = new Map(sources.filter((file) => !isTest(file)).map((file) => [file, importsOf(file)]));
  const done = new Set<string>();
  const circles: string[] = [];
  const walk = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (path.includes(file) || done.has(file)) return;
    for (const target of targets.get(file) ?? []) walk(target, [...path, file]);
    done.add(file);
  };
  for (const file of targets.keys()) walk(file, []);
  assert.deepEqual(circles, []);
});

test('only stores contain SQL, and only the platform knows the engines', () => {
  const sql = /['"`]\s*(?:select\s.+\sfrom|insert into|update\s+\w+\s+set|delete from)\s/i;
  const wrong = sources.filter((file) => {
    const mayKnow =
      isTest(file) || roomOf(file) === 'platform' || roomOf(file) === 'jobs' || file.endsWith('-store.ts');
    return !mayKnow && sql.test(readFileSync(file, 'utf8'));
  });
  assert.deepEqual(wrong, []);
});

test('a bound number that meets a literal has a type of its own', () => {
  // PostgreSQL takes the type of the literal, a 32-bit integer, and refuses a time.
  const untyped = /\$\d+ [-+*/%] (?:\d|\$\{)|(?<![$\w])\d+ [-+*/%] \$\d|\b(?:coalesce|nullif)\(\$\d+, *(?:\d|\$\{)/;
  const wrong = sources
    .filter((file) => !isTest(file))
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    .filter((line) => untyped.test(line));
  assert.deepEqual(wrong, []);
});

/** Tables that another room has taken over since the migration that creates them. */
const TAKEN_OVER: Record<string, string> = { event_alert_dispatches: 'notices', report_slack_addresses: 'notices' };

test('a table has one owner', () => {
  const owners = new Map<string, string>();
  for (const [index, file] of globSync('migrations/*.sql').sort().entries()) {
    const text = readFileSync(file, 'utf8');
    const room = /^-- room: (\w+)$/m.exec(text)?.[1];
    assert.ok(room && room in MAY_USE, `${file} must name its room in the first line`);
    const number = String(index + 1).padStart(4, '0');
    assert.match(file, new RegExp(`^migrations/${number}-${room}-[a-z0-9-]+\\.sql$`));
    for (const [, table = ''] of text.matchAll(/create table (\w+)/g)) owners.set(table, TAKEN_OVER[table] ?? room);
  }
  const wrong = sources
    .filter((file) => !isTest(file))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\b(?:from|into|update|join)\s+([a-z_]+)\b/g)]
        .map(([, table = '']) => table)
        .filter((table) => owners.has(table) && owners.get(table) !== roomOf(file))
        .map((table) => `${file} uses ${table}`),
    );
  assert.deepEqual(wrong, []);
});

/** Functions that each telephony provider implements, and the table of limits that each room has. */
const isShared = (name: string, file: string): boolean =>
  name === 'LIMITS' || file.startsWith('src/telephony/providers/') || file === 'src/telephony/markup/reply.ts';

test('an exported name has one meaning', () => {
  const definitions = sources
    .filter((file) => !isTest(file))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^export (?:const|type|class|(?:async )?function) (\w+)/gm)]
        .map(([, name = '']) => name)
        .filter((name) => !isShared(name, file))
        .map((name) => ({ name, file })),
    );
  const files = Map.groupBy(definitions, ({ name }) => name);
  const double = [...files].filter(([, defined]) => new Set(defined.map(({ file }) => file)).size > 1);
  assert.deepEqual(
    double.map(([name, defined]) => `${name}: ${defined.map(({ file }) => file).join(', ')}`),
    [],
  );
});

test('each decision has a number of its own, and says it in its title', () => {
  for (const [index, file] of globSync('docs/decisions/*.md').sort().entries()) {
    const number = String(index + 1).padStart(3, '0');
    assert.match(file, new RegExp(`^docs/decisions/${number}-[a-z0-9-]+\\.md$`));
    assert.ok(readFileSync(file, 'utf8').startsWith(`# ${number} `), file);
  }
});

test('a decision fits on a page', () => {
  const tooLong = globSync('docs/decisions/*.md')
    .map((file) => ({ file, words: readFileSync(file, 'utf8').trim().split(/\s+/).length }))
    .filter(({ words }) => words > MOST_WORDS_OF_A_DECISION);
  assert.deepEqual(
    tooLong.map(({ file, words }) => `${file} has ${words} words`),
    [],
  );
});

test('whatever prunes waits for a clock that can be believed', () => {
  const wrong = sources.filter(
    (file) => !isTest(file) && /jobs\.(?:handle|every)\(prune/.test(readFileSync(file, 'utf8')),
  );
  assert.deepEqual(wrong, []);
});

test('the environment is read in one place', () => {
  const readers = sources.filter((file) => !isTest(file) && /process\.env/.test(readFileSync(file, 'utf8')));
  assert.deepEqual(readers, ['src/cli.ts']);
});

test('every outgoing request goes through the guard', () => {
  const ways = /(?<![.\w])fetch\(|from 'undici'|import [^;]*\brequest\b[^;]*from 'node:https?'/;
  const others = sources.filter((file) => !isTest(file) && !file.startsWith('src/platform/outbound/'));
  assert.deepEqual(
    others.filter((file) => ways.test(readFileSync(file, 'utf8'))),
    [],
  );
});

test('the client needs nothing but itself', () => {
  const files = globSync('packages/client/src/**/*.ts').filter((file) => !isTest(file));
  assert.ok(files.length > 5);
  const wrong = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\b(?:from |import[ (])'([^']+)'/g)]
      .map(([, path = '']) => path)
      .filter((path) => !/^(?:\.\.?\/[\w-]+\.ts|\.\.\/\.\.\/connect\.d\.ts)$/.test(path))
      .map((path) => `${file} → ${path}`),
  );
  assert.deepEqual(wrong, []);
  const written = files.filter((file) => basename(file) !== 'operations.ts');
  assert.deepEqual(
    written.filter((file) => readFileSync(file, 'utf8').split('\n').length > 300),
    [],
  );
});

test('no folder or file has a name that says nothing', () => {
  assert.deepEqual(globSync('src/**/{utils,util,shared,common,helpers,services,misc}{,.ts}').sort(), []);
});

test('no source file hides a second noun', () => {
  const long = sources.filter((file) => !isTest(file) && readFileSync(file, 'utf8').split('\n').length > 300);
  assert.deepEqual(long, []);
});

test('no telephony provider is named outside its folder', () => {
  const ids = globSync('src/telephony/providers/*/').map((folder) => /([^/]+)\/?$/.exec(folder)?.[1] ?? '');
  assert.ok(ids.length >= 6);
  const wrong = sources
    .filter((file) => !isTest(file) && file !== 'src/telephony/providers/index.ts')
    .flatMap((file) => {
      // One of them also sends the header of another, and a scale of a chart has a method that is called like one.
      const text = readFileSync(file, 'utf8')
        .toLowerCase()
        .replaceAll(/x-[a-z]+-signature|\.bandwidth\(\)/g, '');
      const own = /providers\/([^/]+)\//.exec(file)?.[1];
      return ids.filter((id) => id !== own && text.includes(id)).map((id) => `${file} names ${id}`);
    });
  assert.deepEqual(wrong, []);
});

test('no provider is named outside the catalogue', () => {
  const ids = globSync('src/integrations/catalogue/entries/*.json').map(
    (file) => /([^/]+)\.json$/.exec(file)?.[1] ?? '',
  );
  const known = new Set(ids);
  // Elsewhere, "monday" is a day of the week.
  const others = sources.filter((file) => !isTest(file) && roomOf(file) === 'integrations');
  assert.ok(ids.length > 400);
  const named = others.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(['"`])([a-z0-9-]+)\1/g)]
      .filter(([, , word = '']) => known.has(word))
      .map(([quoted]) => `${file} names ${quoted}`),
  );
  assert.deepEqual(named, []);
});

test('the documents name files that exist, and the rooms in their order', () => {
  const everyName = new Set(
    globSync('{bin,migrations,packages,scripts,src,test}/**/*.*').map((file) => basename(file)),
  );
  const exists = (name: string): boolean =>
    name.includes('/') ? existsSync(name) || existsSync(join('src', name)) : everyName.has(name);
  // A name with a placeholder, such as `<noun>-store.ts` or `*-routes.ts`, stands for many files.
  const names =
    /(?<![\w>*./-])\w[\w./-]*\.(?:ts|css|sql)\b|(?<=`)(?:bin|migrations|packages|scripts|src|test)\/[\w./-]*(?=`)/g;
  const missing = globSync(['*.md', 'docs/**/*.md', 'packages/*/*.md', 'src/**/*.md']).flatMap((document) =>
    [...readFileSync(document, 'utf8').matchAll(names)]
      .filter(([name]) => !exists(name))
      .map(([name]) => `${document}: ${name}`),
  );
  assert.deepEqual(missing, []);
  const page = readFileSync('docs/architecture.md', 'utf8');
  const rows = Object.entries(SUB_ROOMS).map(([room, order]) => `| \`${room}\` | ${order.join(', ')} |`);
  assert.deepEqual(
    rows.filter((row) => !page.includes(row)),
    [],
  );
});

test('the flows name each file by its path, or after one in the same folder', () => {
  const page = readFileSync('docs/architecture.md', 'utf8');
  const flows = [...page.matchAll(/([^\n]*)\n\n```\n(.*?)\n```/gs)];
  assert.ok(flows.length > 20);
  const isThere = (file: string): boolean => existsSync(file) || existsSync(join('src', file));
  const besideRooms = new Set(globSync('src/*.ts').map((file) => basename(file)));
  const misplaced = flows.flatMap(([, sentence = '', flow = '']) => {
    const commonFolder = /`([\w./-]+)\/`/.exec(sentence)?.[1];
    let folder = commonFolder ?? '';
    return [...flow.matchAll(/(?<![\w>*./-])[\w./-]*\w\.ts\b/g)].flatMap(([name]) => {
      if (name.includes('/')) folder = commonFolder ?? dirname(name);
      else if (!besideRooms.has(name) && !isThere(join(folder, name))) return [`${name} is not in ${folder}`];
      return [];
    });
  });
  assert.deepEqual(misplaced, []);
});
