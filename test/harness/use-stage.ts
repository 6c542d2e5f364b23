import { after, before } from 'node:test';

type Closable = { close(): unknown } | { stop(): unknown };

type Open = { stage: Closable; forget(): void };

/** What is open in a suite, closed in reverse order. */
const openIn = new WeakMap<object, Open[]>();

const standIn = <Made extends object>(make: (suite: object, forget: () => void) => Promise<Made>): Made => {
  let made: Made | undefined;
  const forget = (): void => {
    made = undefined;
  };
  before(async (suite) => {
    made = await make(suite, forget);
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

/** Creates something before the tests of a suite. The result stands in for it, in tests and hooks only. */
export const prepare = <Made extends object>(make: (suite: object) => Promise<Made>): Made => standIn(make);

/** The same for something that is closed after the tests, and forgotten, because the runner keeps the hooks of each suite. */
export const useStage = <Stage extends Closable>(open: () => Promise<Stage>): Stage => {
  const opened = standIn(async (suite, forget) => {
    const stage = await open();
    openIn.set(suite, [...(openIn.get(suite) ?? []), { stage, forget }]);
    return stage;
  });
  after(async (suite) => {
    const last = openIn.get(suite)?.pop();
    if (!last) return;
    await ('close' in last.stage ? last.stage.close() : last.stage.stop());
    last.forget();
  });
  return opened;
};
