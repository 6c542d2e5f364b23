/**
 * What our own OAuth servers share: the sandbox's, and the one for agents. They run on oidc-provider, which takes time
 * and memory to load, so nothing here loads it.
 */
export { createAskProvider, reasonIn, type ServerAnswer, sendAnswer, sendOn } from './ask.ts';
export { type Exchange, toExchange } from './exchange.ts';
export { findInteraction } from './find-interaction.ts';
export { deleteExpiredIssued, deleteOldestIssued, deleteUsedIssued, getIssued } from './issued-store.ts';
export { createStoredAdapter, digestOfIssued } from './stored-adapter.ts';
