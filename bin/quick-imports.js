// Resolves our own imports without searching the disk, because they are relative and name their file. With a thousand
// modules, the search was a fifth of the startup time.
import { registerHooks } from 'node:module';

// Importing `node:http` reads all that it exports, and with it loads the client of Node's own `fetch`, which was a tenth
// of the startup time.
const HTTP = new URL('http.js', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'node:http' && context.conditions.includes('import'))
      return { url: HTTP, format: 'module', shortCircuit: true };
    if (!specifier.startsWith('.') || !specifier.endsWith('.ts') || !context.parentURL) return next(specifier, context);
    return { url: new URL(specifier, context.parentURL).href, format: 'module-typescript', shortCircuit: true };
  },
});
