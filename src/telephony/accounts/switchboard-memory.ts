import type { Answer } from '../contract/answer-settings.ts';
import type { Party } from '../contract/party.ts';
import type { TelephonyAccount } from './account.ts';

const MOST_CANDIDATES = 50;
/** How many accounts without a provider's account ID are tried for a delivery. Each means trying all its secrets. */
const MOST_UNNAMED = 20;

/** A number and how it is answered. Immutable: a change makes a new one. */
export type Line = { id: string; teamId: string; accountId: string; number: string; answer: Answer };

const keyOf = (accountId: string, { kind, value }: Party): string => `${accountId} ${kind} ${value}`;

const add = <Value>(index: Map<string, Set<Value>>, key: string, value: Value): void => {
  index.set(key, (index.get(key) ?? new Set()).add(value));
};

const byAge = (left: TelephonyAccount, right: TelephonyAccount): number => (left.id < right.id ? -1 : 1);

/** Accounts and numbers in memory, indexed to answer calls. */
export const createSwitchboardMemory = () => {
  const accounts = new Map<string, TelephonyAccount>();
  const lines = new Map<string, Line>();
  const byParty = new Map<string, Line>();
  const byProvider = new Map<string, Set<TelephonyAccount>>();
  const byExternal = new Map<string, Set<TelephonyAccount>>();
  const byAccount = new Map<string, Set<Line>>();
  /**
   * Accounts by age: those that have the provider's account ID (`named`), and those that don't. Sorted once and kept,
   * because they are read often and change rarely.
   */
  const named = new Map<string, readonly TelephonyAccount[]>();
  const unnamed = new Map<string, readonly TelephonyAccount[]>();

  const externalKey = ({ provider, accountId }: TelephonyAccount): string => `${provider} ${accountId}`;
  const partyKey = ({ accountId, number }: Line): string => keyOf(accountId, { kind: 'number', value: number });

  const dropAccount = (id: string): void => {
    const known = accounts.get(id);
    if (!known) return;
    byProvider.get(known.provider)?.delete(known);
    unnamed.delete(known.provider);
    byExternal.get(externalKey(known))?.delete(known);
    named.delete(externalKey(known));
    accounts.delete(id);
  };
  const dropLine = (id: string): void => {
    const known = lines.get(id);
    if (!known) return;
    if (byParty.get(partyKey(known)) === known) byParty.delete(partyKey(known));
    byAccount.get(known.accountId)?.delete(known);
    lines.delete(id);
  };

  return {
    dropLine,
    getAccount: (id: string): TelephonyAccount | undefined => accounts.get(id),
    getLine: (id: string): Line | undefined => lines.get(id),
    getLineOf: (accountId: string, party: Party): Line | undefined => byParty.get(keyOf(accountId, party)),
    listLineIds: (): string[] => [...lines.keys()],
    /** Lists the ids of all accounts, including accounts that aren't in memory themselves but have lines here. */
    listAccountIds: (): string[] => [...new Set([...accounts.keys(), ...byAccount.keys()])],
    /** Removes an account and its lines. */
    forgetAccount(id: string): void {
      for (const line of [...(byAccount.get(id) ?? [])]) dropLine(line.id);
      byAccount.delete(id);
      dropAccount(id);
    },
    accountsOf: (provider: string): TelephonyAccount[] => [...(byProvider.get(provider) ?? [])],
    /**
     * Lists the oldest accounts with this ID at the provider. Any team can enter the same ID, and accounts added later
     * must not displace the oldest.
     */
    accountsNamed(provider: string, accountId: string): readonly TelephonyAccount[] {
      const key = `${provider} ${accountId}`;
      const all = byExternal.get(key);
      // The result for an unknown ID isn't kept, because anyone can make up IDs.
      if (!all || all.size === 0) return [];
      const first = named.get(key) ?? [...all].sort(byAge).slice(0, MOST_CANDIDATES);
      named.set(key, first);
      return first;
    },
    /** Lists the oldest accounts for which no ID at the provider was entered. */
    accountsUnnamed(provider: string): readonly TelephonyAccount[] {
      const known = unnamed.get(provider);
      if (known) return known;
      const first = [...(byProvider.get(provider) ?? [])]
        .filter(({ accountId }) => accountId === null)
        .sort(byAge)
        .slice(0, MOST_UNNAMED);
      unnamed.set(provider, first);
      return first;
    },
    isOnlyOne: (provider: string): boolean => byProvider.get(provider)?.size === 1,
    putAccount(account: TelephonyAccount): void {
      dropAccount(account.id);
      accounts.set(account.id, account);
      add(byProvider, account.provider, account);
      unnamed.delete(account.provider);
      add(byExternal, externalKey(account), account);
      named.delete(externalKey(account));
    },
    putLine(line: Line): void {
      dropLine(line.id);
      lines.set(line.id, line);
      byParty.set(partyKey(line), line);
      add(byAccount, line.accountId, line);
    },
  };
};

export type SwitchboardMemory = ReturnType<typeof createSwitchboardMemory>;
