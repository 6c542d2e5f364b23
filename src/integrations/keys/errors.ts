import type { InputError } from '../../platform/index.ts';
import { refuse } from '../errors.ts';

/** The errors never contain the entered values. */
export const fieldsInvalid = (errors: InputError[]) =>
  refuse(400, 'fields_invalid', 'Some fields are invalid for this provider. See "errors".', { errors });

export const keyRefused = () =>
  refuse(
    422,
    'key_refused',
    "The provider doesn't accept this key. Copy the whole key again, or create a new one there if it was deleted or has expired. Nothing has changed.",
  );

/** The provider neither accepted nor rejected the key, for example because there is no such account. */
export const keyUnconfirmed = (status: number) =>
  refuse(
    422,
    'key_refused',
    `The provider didn't confirm this key, but responded with status ${status}. Check what you entered and try again. Nothing has changed.`,
  );

/** For someone who may be testing keys that aren't theirs. */
export const tooManyKeys = (waitSeconds: number) =>
  refuse(
    429,
    'too_many_keys',
    'Too many keys were tried in a short time. Wait a little, then try again. Nothing has changed.',
    { headers: { 'retry-after': String(waitSeconds) } },
  );

export const keySuperseded = () =>
  refuse(409, 'key_superseded', 'A key that was entered later is already stored under this name. Nothing has changed.');

export const formUsed = () =>
  refuse(
    409,
    'state_used',
    "This form was already used, so what you entered now wasn't stored. To enter another key, connect again.",
  );

export const keyUnverified = (retryAfterMs: number | null) =>
  refuse(
    503,
    'provider_unavailable',
    "The provider can't be reached right now, so the key wasn't verified. Try again shortly. Nothing has changed.",
    { headers: { 'retry-after': String(Math.min(Math.ceil((retryAfterMs ?? 5_000) / 1_000), 3_600)) } },
  );

export const keyNotSent = () =>
  refuse(
    409,
    'host_refused',
    "The key wasn't sent, because the provider's address isn't allowed. Nothing has changed.",
  );
