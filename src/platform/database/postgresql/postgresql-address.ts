export type PostgresqlHost = { host: string; port: number };

/** The URL of a PostgreSQL database. `hosts` is null if it names a single server and has no `target_session_attrs`. */
type PostgresqlAddress = { url: string; hosts: readonly PostgresqlHost[] | null };

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;
const DEFAULT_PORT = 5432;
/** The values of `target_session_attrs` that mean a server that accepts writes. We support no others. */
const WRITABLE = ['read-write', 'primary'];

const toHost = ({ hostname, port }: URL): PostgresqlHost => ({
  host: decodeURIComponent(hostname).replace(/^\[(.+)\]$/, '$1'),
  port: port === '' ? DEFAULT_PORT : Number(port),
});

/**
 * Reads a URL with one host, or with several as libpq writes them: `postgresql://user:password@a:5432,b:5432/database`.
 * With several hosts, or with `target_session_attrs=read-write`, only the server that accepts writes is used. Undefined
 * if the URL isn't valid.
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
