import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Refusal } from '../../platform/index.ts';
import type { Beginning } from '../../teams/index.ts';
import { SealBroken, type Vault } from '../../vault/index.ts';
import { DEFAULT_CONNECTION } from '../connections/connection-name.ts';
import { requestTooLong, stateExpired, stateInvalid } from '../errors.ts';

/** The options of a connect request. Null means the default. */
export type ConnectOptions = {
  scopes: readonly string[] | null;
  returnTo: string | null;
  params: Readonly<Record<string, string>> | null;
  connection: string;
  /** Whether an account that isn't surely the same may replace the one connected under this name. */
  replace: boolean;
};

export const STANDARD_OPTIONS: ConnectOptions = {
  scopes: null,
  returnTo: null,
  params: null,
  connection: DEFAULT_CONNECTION,
  replace: true,
};

/** A connect request as a state or a ticket contains it. A connect that a link leads to began when the link was made. */
export type ConnectRequest = ConnectOptions & { begun: Beginning };

/** The content of a sealed state, which travels to the provider and back. */
export type ConnectState = ConnectRequest & {
  nonce: string;
  verifier: string;
  userId: string;
  teamId: string;
  expiresAt: number;
  /** Digest of the binding cookie. Null if the request that began the connect set none. */
  binding: string | null;
};

export const STATE_LIFETIME_MS = 10 * 60_000;

const MOST_CHARACTERS = 1_000;
const PURPOSE = 'connect state';
/** Shorter texts aren't worth compressing. Long lists of scopes compress well. */
const SQUEEZE_FROM_BYTES = 500;
const MOST_BYTES = 10_000;

export const squeeze = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  return bytes.length < SQUEEZE_FROM_BYTES ? bytes : Buffer.concat([Buffer.of(0), deflateRawSync(bytes)]);
};

/** Compressed data starts with a zero, which no JSON does. */
const unsqueeze = (bytes: Buffer): string =>
  (bytes[0] === 0 ? inflateRawSync(bytes.subarray(1), { maxOutputLength: MOST_BYTES }) : bytes).toString();

type Packed = [
  scopes: ConnectOptions['scopes'],
  returnTo: string | null,
  params: ConnectOptions['params'],
  connection?: string,
  replace?: boolean,
  sessionId?: string | null,
  tokenId?: string | null,
  begunAt?: number,
];

type Expiring = { expiresAt: number };

/** When a connect began if a state or a ticket doesn't say it. */
const usualBeginning = ({ expiresAt }: Expiring): number => expiresAt - STATE_LIFETIME_MS;

/** Leaves out values at the end if they're the defaults, because a state must be short. */
export const packRequest = (request: ConnectRequest & Expiring): Packed => {
  const { scopes, returnTo, params, connection, replace } = request;
  const { begunAt, sessionId, tokenId } = request.begun;
  if (begunAt !== usualBeginning(request))
    return [scopes, returnTo, params, connection, replace, sessionId, tokenId, begunAt];
  if (tokenId !== null) return [scopes, returnTo, params, connection, replace, sessionId, tokenId];
  if (sessionId !== null) return [scopes, returnTo, params, connection, replace, sessionId];
  return connection === DEFAULT_CONNECTION && replace
    ? [scopes, returnTo, params]
    : [scopes, returnTo, params, connection, replace];
};

export const unpackRequest = (packed: Packed, expiring: Expiring): ConnectRequest => {
  const { connection: usual, replace: usually } = STANDARD_OPTIONS;
  const [scopes, returnTo, params, connection = usual, replace = usually, ...beginning] = packed;
  const [sessionId = null, tokenId = null, begunAt = usualBeginning(expiring)] = beginning;
  return { scopes, returnTo, params, connection, replace, begun: { begunAt, sessionId, tokenId } };
};

/**
 * Seals a state. It's bound to the redirect URI, which names the provider, so it doesn't open at another provider's
 * callback.
 */
export const sealState = (vault: Vault, redirectUri: string, state: ConnectState): string => {
  const { nonce, verifier, userId, teamId, expiresAt, binding } = state;
  const content = JSON.stringify([nonce, verifier, userId, teamId, expiresAt, binding, ...packRequest(state)]);
  if (Buffer.byteLength(content) > MOST_BYTES) throw requestTooLong();
  const sealed = vault.sealPassing(PURPOSE, [redirectUri], squeeze(content));
  if (sealed.length > MOST_CHARACTERS) throw requestTooLong();
  return sealed;
};

/** Opens a value that was compressed and sealed for a purpose. Throws the refusal if it doesn't open. */
export const openSqueezed = (
  vault: Vault,
  { purpose, place, refuse }: { purpose: string; place: string; refuse: () => Refusal },
  sealed: string,
) => {
  try {
    return JSON.parse(unsqueeze(vault.openPassing(purpose, [place], sealed)));
  } catch (error) {
    throw error instanceof SealBroken ? refuse() : error;
  }
};

/** Reads a state even if it has expired, to find out where to send its user next. */
export const readState = (vault: Vault, redirectUri: string, sealed: string): ConnectState => {
  if (sealed.length > MOST_CHARACTERS) throw stateInvalid();
  const place = { purpose: PURPOSE, place: redirectUri, refuse: stateInvalid };
  const [nonce, verifier, userId, teamId, expiresAt, binding, ...packed] = openSqueezed(vault, place, sealed);
  return { nonce, verifier, userId, teamId, expiresAt, binding, ...unpackRequest(packed, { expiresAt }) };
};

export const openState = (vault: Vault, redirectUri: string, sealed: string, now: number): ConnectState => {
  const state = readState(vault, redirectUri, sealed);
  if (now >= state.expiresAt) throw stateExpired();
  return state;
};
