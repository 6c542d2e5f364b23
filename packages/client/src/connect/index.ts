/** What Patchbay serves as `/connect.js`, in one file: `npm run generate` puts it together. */
export { PatchbayError } from '../patchbay-error.ts';
export { connect } from './connect.ts';
export { finish } from './finish.ts';
export { PatchbayConnect } from './patchbay-connect.ts';
