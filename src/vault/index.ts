/**
 * The only part of the service that sees keys. It seals and opens a team's secrets, and wraps team keys with the key
 * ring.
 */

export { type AuthenticationCode, createAuthenticationCode } from './authentication-code.ts';
export { deriveSecret } from './derive-secret.ts';
export { SealBroken } from './envelope.ts';
export { keyCommands } from './key-commands.ts';
export { extendKeyRing, type KeyRing, parseKeyRing, type RingSource } from './key-ring.ts';
export { createKeyRings, type KeyRingSettings } from './key-rings.ts';
export { createLineSeal } from './line-seal.ts';
export { createSealCheck, type SealCheck, type SealedColumn, TEAM_KEYS } from './seal-check.ts';
export { type ByteRange, sealedBytes } from './stream-seal.ts';
export { createVault, type Vault } from './vault.ts';
export { RingIncomplete } from './wrap-team-key.ts';
