export { Patchbay } from './patchbay.js';
export { PatchbayError } from './patchbay-error.js';
export { verifyEvent } from './verify-event.js';
