/** The result of one check, and what to do about it. */
export type Finding = { check: string; state: 'ok' | 'warning' | 'trouble'; message: string };

export const PATIENCE_MS = 5_000;

export const ok = (check: string, message: string): Finding => ({ check, state: 'ok', message });

export const warning = (check: string, message: string): Finding => ({ check, state: 'warning', message });

export const trouble = (check: string, message: string): Finding => ({ check, state: 'trouble', message });

/** Runs a check. If `look` throws, the finding is that error together with the advice. */
export const examine = async <Found>(
  check: string,
  advice: string,
  look: () => Promise<Found>,
): Promise<Found | Finding> => {
  try {
    return await look();
  } catch (error) {
    return trouble(check, `${error instanceof Error ? error.message : 'The check failed.'} ${advice}`.trimEnd());
  }
};
