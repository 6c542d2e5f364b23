import { createSecretKey } from 'node:crypto';
import { oncePer } from '../../platform/index.ts';
import type { AccountSecret } from '../contract/provider.ts';

/** The key that verifies deliveries. Made once per secret: passing text to every HMAC costs up to 20 µs each time. */
export const hmacKeyOf = oncePer(({ value }: AccountSecret) => createSecretKey(value, 'utf8'));
