/** What agents use: the Model Context Protocol, with a few tools over the other rooms, and how people let agents in. */
export { createAgents } from './agents.ts';
export { createFindGrant } from './authorization/find-grant.ts';
