type Step = { key: string } | { index: number } | { where: string };

const STEPS = /\.?([^.[\]]+)|\[(\d+)\]|\[([^\]]*)\]/g;

const stepsOf = (path: string): Step[] =>
  [...path.matchAll(STEPS)].map(([, key, index, where]) => {
    if (key !== undefined) return { key };
    return index === undefined ? { where: where ?? '' } : { index: Number(index) };
  });

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const take = (value: unknown, step: Step): unknown => {
  if ('key' in step) return isObject(value) && Object.hasOwn(value, step.key) ? value[step.key] : undefined;
  if (!Array.isArray(value)) return undefined;
  if ('index' in step) return value[step.index];
  return (
    value.find((item) => isObject(item) && Object.hasOwn(item, step.where) && Boolean(item[step.where])) ??
    (step.where === '' ? value[0] : undefined)
  );
};

/** Returns the value at a path like `data.id`, `[0].id` or `accounts[is_default].id`. */
export const pick = (value: unknown, path: string): unknown =>
  path === '' ? value : stepsOf(path).reduce((found: unknown, step) => take(found, step), value);

/** Returns the first text or number at one of the paths, as text. */
export const pickText = (value: unknown, paths: readonly string[]): string | null => {
  for (const path of paths) {
    const found = pick(value, path);
    if (typeof found === 'string' && found !== '') return found;
    if (typeof found === 'number' && Number.isFinite(found)) return String(found);
  }
  return null;
};
