/** Made-up accounts for people to choose from. */
export const ACCOUNTS = [
  { id: 'sandbox-1', name: 'First account', email: 'first-account@sandbox.test' },
  { id: 'sandbox-2', name: 'Second account', email: 'second-account@sandbox.test' },
] as const;
