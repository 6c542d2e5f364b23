import { registerHooks } from 'node:module';

// Generators of code need the API of a compiler in JavaScript, which the one that we check with doesn't have.
const API = new URL('./typescript-api.mjs', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? API : specifier, context),
});
