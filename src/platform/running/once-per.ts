/** Makes a value once for each object and remembers it for as long as that object lives. */
export const oncePer = <Key extends WeakKey, Value extends object>(
  make: (key: Key) => Value,
): ((key: Key) => Value) => {
  const made = new WeakMap<Key, Value>();
  return (key) => {
    const known = made.get(key);
    if (known) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
};
