export type PostgresqlHost = { host: string; port: number };

/** Where PostgreSQL is. If `hosts` is null, `url` says it all. */
type PostgresqlAddress = { url: string; hosts: readonly PostgresqlHost[] | null };

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;
const DEFAULT_PORT = 5432;
/** What libpq calls a server that accepts writes. We never want any other one. */
const WRITABLE = ['read-write', 'primary'];

const toHost = ({ hostname, port }: URL): PostgresqlHost => ({
  host: decodeURIComponent(hostname).replace(/^\[(.+)\]$/, '$1'),
  port: port === '' ? DEFAULT_PORT : Number(port),
});

/**
 * One host, or several as libpq has them: `postgresql://user:password@a:5432,b:5432/database`. With several, or with
 * `target_session_attrs=read-write`, only the one that accepts writes is used. Undefined if it can't be read.
 */
export const readPostgresqlAddress = (url: string): PostgresqlAddress | undefined => {
  const [, before = '', names = '', after = ''] = PARTS.exec(url) ?? [];
  if (before === '') return undefined;
  const urls = names.split(',').map((name) => `${before}${name}${after}`);
  const parsed = urls.map((each) => URL.parse(each)).filter((each) => each !== null);
  const [first] = parsed;
  if (!first || parsed.length < urls.length) return undefined;
  const wanted = first.searchParams.get('target_session_attrs');
  if (wanted !== null && !WRITABLE.includes(wanted)) return undefined;
  if (parsed.length === 1 && wanted === null) return { url, hosts: null };
  const hosts = parsed.map(toHost);
  return hosts.some(({ host }) => host === '') ? undefined : { url: first.href, hosts };
};
