// Resolves our own imports without searching the disk, because they are relative and name their file. With a thousand
// modules, the search was a fifth of the startup time.
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.startsWith('.') || !specifier.endsWith('.ts') || !context.parentURL) return next(specifier, context);
    return { url: new URL(specifier, context.parentURL).href, format: 'module-typescript', shortCircuit: true };
  },
});
