#!/usr/bin/env node
// The one file an older Node can still read: it says what is missing instead of failing on the first `.ts`.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(
    `Patchbay needs Node 24.15 or newer and this is Node ${process.versions.node}: run it with "npm start" or "npm run patchbay -- <command>", which bring their own Node 24.\n`,
  );
  process.exit(2);
}

const { main } = await import('../src/cli.ts');
await main(process.argv.slice(2));
