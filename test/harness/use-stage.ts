import { after, before } from 'node:test';

type Closable = { close(): unknown } | { stop(): unknown };

/** What is open in a suite, closed in reverse order. */
const openIn = new WeakMap<object, Closable[]>();

/** Creates something before the tests of a suite. The result stands in for it, in tests and hooks only. */
export const prepare = <Made extends object>(make: (suite: object) => Promise<Made>): Made => {
  let made: Made | undefined;
  before(async (suite) => {
    made = await make(suite);
  });
  const get = (): Made => {
    if (!made) throw new Error('It is there as soon as the tests run, and not while they are declared.');
    return made;
  };
  return new Proxy({} as Made, {
    get: (_, name) => Reflect.get(get(), name),
    set: (_, name, value) => Reflect.set(get(), name, value),
    has: (_, name) => Reflect.has(get(), name),
    ownKeys: () => Reflect.ownKeys(get()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(get(), name),
  });
};

/** The same for something that is closed after the tests. */
export const useStage = <Stage extends Closable>(open: () => Promise<Stage>): Stage => {
  const stage = prepare(async (suite) => {
    const opened = await open();
    openIn.set(suite, [...(openIn.get(suite) ?? []), opened]);
    return opened;
  });
  after(async (suite) => {
    const last = openIn.get(suite)?.pop();
    if (last) await ('close' in last ? last.close() : last.stop());
  });
  return stage;
};
