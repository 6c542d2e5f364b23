import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';

const ENTRY = 'packages/client/src/connect/index.ts';
/** Matches an import, or an export from another module. */
const LINK = /^(?:import|export) (?:type )?\{([^}]*)\} from '([^']+)';\n/gm;

/** Lists all files that are needed, each after the files that it imports. */
const listFiles = (file: string, found: string[] = []): string[] => {
  for (const [statement, , path = ''] of readFileSync(file, 'utf8').matchAll(LINK)) {
    const target = join(dirname(file), path);
    if (!/^\w+ type /.test(statement) && !found.includes(target)) listFiles(target, found);
  }
  if (!found.includes(file)) found.push(file);
  return found;
};

/** Matches quoted text, which isn't changed. No template in these files contains another one. */
const TEXT = /('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)/;

/**
 * Removes spaces and line breaks. These files have all their semicolons, so a line break means no more than a space.
 */
const squeeze = (code: string): string =>
  code
    .replace(/\s+/g, ' ')
    .replace(/ ?([-=+*<>!?:;,&|(){}[\]]) ?/g, '$1')
    .replace(/[,;]+(?=\})|,(?=[)\]])/g, '');

/** Removes types, comments, imports and exports from a file. */
const toPart = (file: string): string =>
  stripTypeScriptTypes(readFileSync(file, 'utf8'))
    .replace(LINK, '')
    .replace(/^export /gm, '')
    .replace(/^ *(?:\/\*\*.*?\*\/|\/\/[^\n]*)\n/gms, '')
    .split(TEXT)
    .map((part, index) => (index % 2 === 0 ? squeeze(part) : part))
    .join('')
    .trim();

/**
 * Makes `/connect.js` from all files, so that a page's policy can name exactly one file. All names share one scope, and
 * the module wouldn't load if two were the same.
 */
export const bundleConnect = (): string => {
  const names = [...readFileSync(ENTRY, 'utf8').matchAll(LINK)].map(([, list = '']) => list.trim());
  const parts = listFiles(ENTRY).filter((file) => file !== ENTRY);
  return `// Generated from ${ENTRY}.\n${parts.map(toPart).join('\n')}\nexport { ${names.join(', ')} };\n`;
};
