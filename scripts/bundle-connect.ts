import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';

const ENTRY = 'packages/client/src/connect/index.ts';
/** What a module takes from others, or only passes on. */
const LINK = /^(?:import|export) (?:type )?\{([^}]*)\} from '([^']+)';\n/gm;

/** Every file that is needed, each after those it uses. */
const listFiles = (file: string, found: string[] = []): string[] => {
  for (const [statement, , path = ''] of readFileSync(file, 'utf8').matchAll(LINK)) {
    const target = join(dirname(file), path);
    if (!/^\w+ type /.test(statement) && !found.includes(target)) listFiles(target, found);
  }
  if (!found.includes(file)) found.push(file);
  return found;
};

/** What is between quotes stays as it is. No template in these files has another one in it. */
const TEXT = /('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)/;

/** These files have all their semicolons, so a line break means no more than a space. */
const squeeze = (code: string): string =>
  code
    .replace(/\s+/g, ' ')
    .replace(/ ?([-=+*<>!?:;,&|(){}[\]]) ?/g, '$1')
    .replace(/[,;]+(?=\})|,(?=[)\]])/g, '');

/** Without types and comments, and without what only modules need. */
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
 * `/connect.js` in one file, so that a page's policy can name exactly this one. All names of the files share one scope,
 * and the module wouldn't load if two were the same.
 */
export const bundleConnect = (): string => {
  const names = [...readFileSync(ENTRY, 'utf8').matchAll(LINK)].map(([, list = '']) => list.trim());
  const parts = listFiles(ENTRY).filter((file) => file !== ENTRY);
  return `// Generated from ${ENTRY}.\n${parts.map(toPart).join('\n')}\nexport { ${names.join(', ')} };\n`;
};
