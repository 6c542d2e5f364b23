import { UsageRefused } from '../../platform/index.ts';
import { type AskedAllow, METHODS_TO_ALLOW, type MethodToAllow } from '../tokens/token-rights.ts';

const FORM = '<provider>[:<connection>][@<host>] [<methods>] [<paths>…], such as github:work GET,HEAD /repos/** /user';
const PLACE = /^([a-z0-9-]+)(?::([a-z0-9][a-z0-9_-]*))?(?:@([a-z][a-z0-9-]*))?$/;

const isMethod = (text: string): text is MethodToAllow => (METHODS_TO_ALLOW as readonly string[]).includes(text);

const allowUnclear = (why: string) => new UsageRefused(`--allow must be ${FORM}. ${why}`);

/** Reads what a token is to be allowed at a provider from the text of `--allow`. */
export const readAllow = (text: string): AskedAllow => {
  const [place = '', ...rest] = text.trim().split(/\s+/);
  const [, provider, connection, host] = PLACE.exec(place) ?? [];
  const methods = rest[0] !== undefined && !rest[0].startsWith('/') ? rest.shift()?.split(',') : undefined;
  if (provider === undefined) throw allowUnclear(`"${place}" names no provider.`);
  const noMethod = methods?.find((method) => !isMethod(method));
  if (noMethod !== undefined)
    throw allowUnclear(`"${noMethod}" is neither a method nor a path that begins with a slash.`);
  const noPath = rest.find((path) => !path.startsWith('/'));
  if (noPath !== undefined) throw allowUnclear(`The path "${noPath}" has to begin with a slash.`);
  return {
    provider,
    ...(connection === undefined ? {} : { connection }),
    ...(host === undefined ? {} : { host }),
    ...(methods === undefined ? {} : { methods: methods.filter(isMethod) }),
    ...(rest.length > 0 ? { paths: rest } : {}),
  };
};
