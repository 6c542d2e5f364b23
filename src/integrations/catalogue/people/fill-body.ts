/** Values for placeholders. Null if there is none. */
export type OptionalValues = Readonly<Record<string, string | null>>;

const PLACEHOLDER = /\{([a-z][a-zA-Z0-9_]*)(?::number)?\}/g;
const NUMBER = /^\{([a-z][a-zA-Z0-9_]*):number\}$/;

const lookUpValue = (values: OptionalValues, name: string): string | null =>
  Object.hasOwn(values, name) ? (values[name] ?? null) : null;

/** Fills in a text, with each value changed by `encode`. Null if a placeholder has no value. */
export const fillOptional = (
  text: string,
  values: OptionalValues,
  encode: (value: string) => string = String,
): string | null => {
  let isComplete = true;
  const filled = text.replace(PLACEHOLDER, (_, name: string) => {
    const value = lookUpValue(values, name);
    isComplete &&= value !== null;
    return value === null ? '' : encode(value);
  });
  return isComplete ? filled : null;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const NOTHING = Symbol('no value');

/** What is left of a value, and whether something of it had no value. */
type Filled = { value: unknown; isWhole: boolean };

const fill = (template: unknown, values: OptionalValues): Filled => {
  if (typeof template === 'string') {
    const name = NUMBER.exec(template)?.[1];
    const text = name === undefined ? fillOptional(template, values) : lookUpValue(values, name);
    if (text === null) return { value: NOTHING, isWhole: false };
    return { value: name === undefined ? text : Number(text), isWhole: true };
  }
  if (Array.isArray(template)) {
    const whole = template.map((item) => fill(item, values)).filter(({ isWhole }) => isWhole);
    const isLost = template.length > 0 && whole.length === 0;
    return { value: isLost ? NOTHING : whole.map(({ value }) => value), isWhole: whole.length === template.length };
  }
  if (!isObject(template)) return { value: template, isWhole: true };
  const fields = Object.entries(template).map(([name, inner]) => [name, fill(inner, values)] as const);
  return {
    value: Object.fromEntries(
      fields.filter(([, { value }]) => value !== NOTHING).map(([name, { value }]) => [name, value]),
    ),
    isWhole: fields.every(([, { isWhole }]) => isWhole),
  };
};

/** Fills in a body. Leaves out fields without a value, and objects in lists that lack one. */
export const fillBody = (template: Readonly<Record<string, unknown>>, values: OptionalValues): unknown =>
  fill(template, values).value;
