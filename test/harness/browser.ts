/**
 * As much of a browser as a flow needs: cookies with their paths, one jar for all ports, and no redirect unless told to
 * follow it.
 */
export const createBrowser = ({
  fetch: send = fetch,
  cookies = [],
}: {
  fetch?: typeof fetch;
  /** Cookies that it has from the beginning. */
  cookies?: readonly string[];
} = {}) => {
  const jar = new Map<string, { path: string; pair: string }>();

  const keep = (line: string): void => {
    const [pair = ''] = line.split(';');
    const path = /;\s*path=([^;]+)/i.exec(line)?.[1] ?? '/';
    const key = `${path} ${pair.split('=')[0]}`;
    if (/;\s*(?:max-age=0|expires=Thu, 01 Jan 1970)/i.test(line)) jar.delete(key);
    else jar.set(key, { path, pair });
  };

  for (const cookie of cookies) keep(cookie);

  const cookiesFor = (pathname: string): string =>
    [...jar.values()]
      .filter(({ path }) => path === '/' || pathname === path || pathname.startsWith(`${path}/`))
      .map(({ pair }) => pair)
      .join('; ');

  return {
    async visit(address: string, init: RequestInit = {}): Promise<Response> {
      const headers = { accept: 'text/html', cookie: cookiesFor(new URL(address).pathname), ...init.headers };
      const response = await send(address, { ...init, headers, redirect: 'manual' });
      for (const line of response.headers.getSetCookie()) keep(line);
      return response;
    },
  };
};

export type Browser = ReturnType<typeof createBrowser>;

export const locationOf = (response: Response): string => {
  const location = response.headers.get('location');
  if (location === null) throw new Error(`${response.url} answered ${response.status} and leads nowhere.`);
  return new URL(location, response.url).href;
};
