export const LIMITS = {
  jsonBytes: 1024 * 1024,
  webhookBytes: 256 * 1024,
  /** The largest body that anyone may send. Larger bodies of known callers wait for their turn. */
  smallBytes: 16 * 1024,
  headerBytes: 16 * 1024,
  requestMs: 15_000,
  headersMs: 10_000,
  connectionCheckMs: 200,
  keepAliveMs: 72_000,
} as const;
