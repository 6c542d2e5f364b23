/** Imports connections from other services (docs/nango.md, docs/decisions/044-import-from-nango.md). */
export { importCommands } from './import-commands.ts';
