export const ACCOUNT_ID = `AC${'b'.repeat(32)}`;
export const AUTH_TOKEN = 'auth-token-of-the-benchmark';
export const PUBLIC_URL = 'http://localhost:3000';
