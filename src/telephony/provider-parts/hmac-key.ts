import { createSecretKey } from 'node:crypto';
import { oncePer } from '../../platform/index.ts';
import type { AccountSecret } from '../contract/provider.ts';

/**
 * Makes the key that verifies deliveries, once per secret. Passing text to every HMAC would cost up to 20 µs each time.
 */
export const hmacKeyOf = oncePer(({ value }: AccountSecret) => createSecretKey(value, 'utf8'));
