/** The exports of `/connect.js`, which Patchbay serves. `npm run generate` bundles it into one file. */
export { PatchbayError } from '../patchbay-error.ts';
export { connect } from './connect.ts';
export { finish } from './finish.ts';
export { PatchbayConnect } from './patchbay-connect.ts';
