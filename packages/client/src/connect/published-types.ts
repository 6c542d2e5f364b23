import type { Connect, PatchbayConnect as PublishedElement } from '../../connect.d.ts';
import type * as script from './index.ts';

/** What the browser calls, not the page. */
type Callbacks = 'connectedCallback' | 'attributeChangedCallback';

/** Nothing, unless `/connect.js` has more than `connect.d.ts` says. */
type Unpublished =
  | Exclude<keyof typeof script, keyof Connect>
  | Exclude<keyof script.PatchbayConnect, keyof PublishedElement | Callbacks>;

type Holds<Claim extends true> = Claim;

/** Doesn't compile unless `/connect.js` is what `connect.d.ts` says. */
export type Checked = Holds<
  typeof script extends Connect ? ([Unpublished] extends [never] ? true : Unpublished) : false
>;
