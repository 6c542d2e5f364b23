export const LIMITS = {
  jsonBytes: 1024 * 1024,
  headerBytes: 16 * 1024,
  requestMs: 15_000,
  headersMs: 10_000,
  connectionCheckMs: 2_000,
  keepAliveMs: 72_000,
} as const;
