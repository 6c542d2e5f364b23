import type { Progress } from './command.ts';

const PATIENCE_MS = 2_000;
const REDRAW_MS = 100;
const WIDTH = 30;

/** A progress bar, shown once the work has taken two seconds. Prints nothing without a terminal. */
export const createProgress = (stream: NodeJS.WriteStream): { report: Progress; end(): void } => {
  const startedAt = performance.now();
  let drawnAt = 0;
  return {
    report(done, total): void {
      const now = performance.now();
      if (!stream.isTTY || now - startedAt < PATIENCE_MS || now - drawnAt < REDRAW_MS) return;
      drawnAt = now;
      const part = total === 0 ? 1 : Math.min(1, done / total);
      const filled = Math.round(part * WIDTH);
      stream.write(`\r${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${Math.round(part * 100)}%  ${done}/${total}`);
    },
    end(): void {
      if (drawnAt > 0) stream.write('\n');
    },
  };
};
