/** What agents use: the Model Context Protocol, with a few tools over the other rooms. */
export { createAgents } from './agents.ts';
