// `npm run browser`: installs the browser of the tests, if it is missing.
import { installChromium } from './find-chromium.ts';

await installChromium();
