import { registerHooks } from 'node:module';

/** Loads one module instead of another, which only the module that replaces it can still import. */
export const replaceModule = (original: URL, instead: URL): void => {
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      return found.url === original.href && context.parentURL !== instead.href
        ? { ...found, url: instead.href }
        : found;
    },
  });
};
