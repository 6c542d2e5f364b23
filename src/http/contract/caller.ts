import type { Role } from './access.ts';

/** Who is calling, as far as any room needs to know. The team comes from the credential, never from the request. */
export type Caller = {
  userId: string;
  teamId: string;
  role: Role;
  via: 'token' | 'jwt' | 'session' | 'admin_token';
  /** Only of a session: what its state-changing requests must carry. */
  csrfToken?: string;
  /** Only of a session: which one it is. */
  sessionId?: string;
  /** Only of an access token: which one it is. */
  tokenId?: string;
};

export type Resolved = Caller | null;

/** Told by the room that knows the credentials. It answers at once what it has just looked up. */
export type CallerSource = {
  fromBearer(token: string): Resolved | Promise<Resolved>;
  fromSession(cookie: string): Resolved | Promise<Resolved>;
};
