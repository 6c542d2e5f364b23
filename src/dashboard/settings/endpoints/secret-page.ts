import { html, type Secret } from '../../../platform/index.ts';
import { copyBlock } from '../../display/copy-button.ts';
import { momentInText } from '../../display/moment.ts';
import type { DashboardPage } from '../../frame.ts';
import type { Person } from '../../person.ts';
import { ENDPOINTS } from './endpoint-state.ts';

type ShownSecret = {
  id: string;
  secret: Secret;
  /** Until when requests are also signed with the previous secret, if there was one. */
  oldSecretUntil?: number;
};

const EXAMPLE = `import { verifyEvent } from '@patchbay/client'

const event = await verifyEvent(body, headers, secret) // throws if it isn't genuine`;

/** Shows the secret, for the only time, and how to use it. */
export const secretPage = ({ region }: Person, { id, secret, oldSecretUntil }: ShownSecret): DashboardPage => ({
  title: "Your endpoint's secret",
  content: html`<div class="sheet"><p>Copy it now and store it with your program. It won't be shown again.${
    oldSecretUntil !== undefined &&
    html` The old secret also works until ${momentInText(oldSecretUntil, region)}, so requests have two signatures until then.`
  }</p>
${copyBlock('secret', secret.reveal())}
<h2>Verify every request</h2>
<p>Anyone can send requests to your URL. The signature proves that one comes from Patchbay. Pass on the body exactly as it arrived:</p>
${copyBlock('example', EXAMPLE)}
<p>In other languages, use a library of <a href="https://www.standardwebhooks.com" rel="noreferrer">Standard Webhooks</a>. Respond with 2xx within 15 seconds. The same event can arrive twice; its <code>webhook-id</code> is the same then.</p>
<p><a class="button" href="${ENDPOINTS}/${id}#test">Go on to send a test</a></p></div>`,
});
