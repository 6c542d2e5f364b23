#!/usr/bin/env node
// Checks the version of Node. An older Node can still read this file, so it says what is missing instead of failing on
// the first `.ts` file.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(
    `Patchbay needs Node 24.15 or newer, but this is Node ${process.versions.node}. Run it with "bin/patchbay <command>", "npm start", or "npm run patchbay -- <command>", which use their own Node 24.\n`,
  );
  process.exit(2);
}

// The compile cache halves the startup time and saves 20 MB of memory. It's next to the code, because in the shared
// temporary directory someone else could put code into it.
const cache = fileURLToPath(new URL('../node_modules/.cache/patchbay', import.meta.url));
module.enableCompileCache(cache);
// Threads use it only if it's in their environment.
if (!process.env.NODE_COMPILE_CACHE) process.env.NODE_COMPILE_CACHE = cache;

await import('./quick-imports.js');
const { main } = await import('../src/cli.ts');
await main(process.argv.slice(2));
