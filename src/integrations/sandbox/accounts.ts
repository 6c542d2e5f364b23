export type Account = { id: string; name: string; email: string };

const FIRST: Account = { id: 'sandbox-1', name: 'First account', email: 'first-account@sandbox.test' };

/** Made-up accounts to choose from. */
export const ACCOUNTS: readonly [Account, ...Account[]] = [
  FIRST,
  { id: 'sandbox-2', name: 'Second account', email: 'second-account@sandbox.test' },
];

export const findAccount = (id: string): Account | undefined => ACCOUNTS.find((account) => account.id === id);
