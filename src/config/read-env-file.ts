import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigRefused } from './config-refused.ts';

const QUOTED = /(=[ \t]*)(["'`])[\s\S]*?\2/g;
/**
 * Matches an unquoted value with a `#` that doesn't follow a space. The `#` looks like a part of the value, but
 * `parseEnv` starts a comment there.
 */
const CUT_OFF = /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=(?:[^\n#]*[^\s#])?#/gm;

const findCutOff = (text: string): string[] =>
  [...text.replaceAll(QUOTED, '$1 ').matchAll(CUT_OFF)].map(([, name = '']) => name);

/** Reads the settings in `.env`. Refuses values that a `#` would cut off, but only of our own settings. */
export const readEnvFile = (directory: string, isOurs: (name: string) => boolean): Readonly<NodeJS.Dict<string>> => {
  const file = join(directory, '.env');
  if (!existsSync(file)) return {};
  const text = readFileSync(file, 'utf8');
  const cutOff = findCutOff(text).filter(isOurs);
  if (cutOff.length > 0)
    throw new ConfigRefused(
      cutOff.map(
        (name) =>
          `${name} in .env contains a #, which begins a comment there. Put the value in quotes: ${name}="…". If it is a comment, put a space before the #.`,
      ),
    );
  return parseEnv(text);
};
