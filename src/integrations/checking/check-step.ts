/**
 * The result of one check. `unclear`: the provider's response was unexpected, but doesn't show that the entry is wrong.
 */
export type CheckStep = {
  name: 'connection' | 'discovery' | 'authorization page' | 'wrong code' | 'wrong key';
  state: 'passed' | 'failed' | 'unclear' | 'skipped';
  /** What happened and, unless the check passed, what to do about it. */
  detail: string;
  /** The fields of the entry that this check confirms. */
  confirms: readonly string[];
};

type Name = CheckStep['name'];

export const passed = (name: Name, detail: string, confirms: readonly string[]): CheckStep => ({
  ...{ name, state: 'passed', detail, confirms },
});

export const notPassed = (name: Name, state: 'failed' | 'unclear' | 'skipped', detail: string): CheckStep => ({
  ...{ name, state, detail, confirms: [] },
});
