export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

type Step = { field: string } | { index: number } | { flag: string };

const parsePath = (path: string): Step[] =>
  [...path.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([whole, inside]) => {
    if (inside === undefined) return { field: whole };
    return /^\d+$/.test(inside) ? { index: Number(inside) } : { flag: inside };
  });

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const put = (into: Json | undefined, [step, ...rest]: readonly Step[], value: Json): Json => {
  // What is already there stays: two paths may lead to the same place.
  if (!step) return into ?? value;
  if ('field' in step) {
    const object = isObject(into) ? into : {};
    return { ...object, [step.field]: put(object[step.field], rest, value) };
  }
  const list = Array.isArray(into) ? [...into] : [];
  if ('index' in step) {
    while (list.length < step.index) list.push(put(undefined, rest, 'decoy'));
    list[step.index] = put(list[step.index], rest, value);
    return list;
  }
  // Not the first, which code that ignores the flag would take.
  const flagged = (on: boolean, old: Json | undefined, what: Json): Json => {
    const made = put(old, rest, what);
    return isObject(made) ? { ...made, [step.flag]: on } : made;
  };
  return [flagged(false, list[0], 'decoy'), flagged(true, list[1], value)];
};

/** The response with this value at the path, unless there already is one. */
export const putAt = (answer: Json | undefined, path: string, value: Json): Json => put(answer, parsePath(path), value);

/** The value at the path. */
export const readAt = (answer: Json | undefined, path: string): Json | undefined =>
  parsePath(path).reduce<Json | undefined>((at, step) => {
    if ('field' in step) return isObject(at) ? at[step.field] : undefined;
    if (!Array.isArray(at)) return undefined;
    return 'index' in step ? at[step.index] : at.find((one) => isObject(one) && one[step.flag] === true);
  }, answer);
