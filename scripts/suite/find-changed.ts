import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { listFiles, type TestFile } from './list-files.ts';

/**
 * The index files of all parts of the service, and the files that assemble the parts. Tests that import a changed file
 * only through these are left to `npm test`.
 */
const DOOR = /^src\/(?:[\w-]+\/index|[\w-]+)\.ts$/;

const git = (...args: string[]): string[] =>
  execFileSync('git', args, { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');

/** Lists files that differ from the commit: changed, new and deleted ones. */
const listChanges = (base: string): string[] => [
  ...git('diff', '--name-only', '--relative', base),
  ...git('ls-files', '--others', '--exclude-standard'),
];

const IMPORT = /(?:from|import|import\()\s*'(\.[^']+)'/g;

/** Maps each source file to the files that import it. */
const mapImporters = (): Map<string, string[]> => {
  const importers = new Map<string, string[]>();
  for (const file of globSync('{src,test,packages,scripts,bench,examples}/**/*.ts')) {
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const target = normalize(join(dirname(file), path));
      importers.set(target, [...(importers.get(target) ?? []), file]);
    }
  }
  return importers;
};

const isSource = (file: string): boolean => file.startsWith('src/') && file.endsWith('.ts');

/**
 * Finds all files that import a changed file, directly or through others, and those that import another file in its
 * folder, because these may be tests of the change, too.
 */
const findReached = (changes: readonly string[]): Set<string> => {
  const importers = mapImporters();
  const reached = new Set(changes);
  for (const file of reached) {
    if (DOOR.test(file) && !changes.includes(file)) continue;
    for (const importer of importers.get(file) ?? []) reached.add(importer);
  }
  const folders = new Set(changes.filter(isSource).map((file) => dirname(file)));
  const neighbors = [...importers].filter(([file]) => folders.has(dirname(file)) && !DOOR.test(file));
  return new Set([...reached, ...neighbors.flatMap(([, own]) => own)]);
};

/**
 * Finds the tests that a change affects: by their imports, or because they name a changed file that isn't source, such
 * as a document.
 */
export const findTouched = (changes: readonly string[]): TestFile[] => {
  const reached = findReached(changes);
  const names = changes.filter((file) => !file.endsWith('.ts')).map((file) => basename(file));
  const isNamed = (path: string): boolean => {
    const text = names.length > 0 ? readFileSync(path, 'utf8') : '';
    return names.some((name) => text.includes(name));
  };
  return listFiles().filter(({ path }) => reached.has(path) || isNamed(path));
};

export const findChanged = (base: string): TestFile[] => findTouched(listChanges(base));
