/** The only room that sees a key: it seals and opens a team's secrets, and wraps the team keys with the key ring. */
export { type KeyCommandDependencies, keyCommands } from './commands.ts';
export { SealBroken } from './envelope.ts';
export { extendKeyRing, type KeyRing, parseKeyRing, type RingSource } from './key-ring.ts';
export { createKeyRings, type KeyRingSettings } from './key-rings.ts';
export { type ByteRange, type SealedSource, sealedBytes } from './stream-seal.ts';
export { createVault, type Vault } from './vault.ts';
export { RingIncomplete } from './wrapping.ts';
