export const LIMITS = {
  jsonBytes: 1024 * 1024,
  webhookBytes: 256 * 1024,
  /** The largest body that strangers may send. Of a caller's larger bodies, only a few are received at a time. */
  smallBytes: 16 * 1024,
  headerBytes: 16 * 1024,
  requestMs: 15_000,
  headersMs: 10_000,
  connectionCheckMs: 200,
  keepAliveMs: 72_000,
} as const;
