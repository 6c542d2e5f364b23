import { type Html, html, isLoopbackHost } from '../../platform/index.ts';
import { card } from '../display/card.ts';
import { copyBlock } from '../display/copy-button.ts';
import type { Person } from '../person.ts';
import type { AgentsView } from './load-agents.ts';
import { setUpSteps } from './set-up-steps.ts';

const noAccounts: Html = html`<div class="empty"><p>No account is connected yet.</p>
<p class="quiet">An agent uses accounts that your team has connected, such as GitHub or HubSpot. Until then, it can only see what Patchbay itself knows, such as calls and reports.</p>
<p><a class="button" href="/integrations">Connect an account</a></p></div>`;

/** What the person is asked, which depends on what they may give. */
const askedWords = ({ role }: Person): Html =>
  role === 'admin'
    ? html`<p>Paste this address into Claude, ChatGPT, Cursor, or VS Code. It brings you back here, and you choose which accounts the agent may read, and for how long. It changes nothing there, unless you let it ask: then an admin sees each change first, and approves or refuses it.</p>`
    : html`<p>Paste this address into Claude, ChatGPT, Cursor, or VS Code. It brings you back here, and you choose what the agent may see, such as calls and reports, and for how long. Only an admin can let it use accounts.</p>`;

const unreachable: Html = html`<div class="notice warn"><p>Only programs on this machine can reach this address. claude.ai, Claude Desktop's connectors, and ChatGPT connect from their makers' servers, so they can't. For them, <code>PATCHBAY_URL</code> has to be set to a public URL, or to a tunnel's.</p></div>`;

/** How to let an agent in. */
export const addAgentSection = (person: Person, { url, hasAccounts }: AgentsView): Html => {
  const address = `${url}/mcp`;
  const preset = person.role === 'admin' && hasAccounts ? 'ask' : 'read';
  return card({
    title: 'Add one',
    id: 'add',
    content: html`${!hasAccounts && noAccounts}${askedWords(person)}
${copyBlock('address', address)}
${isLoopbackHost(new URL(url).hostname) && unreachable}
${setUpSteps(address)}
<p class="quiet">For a script, or a client that can't sign you in: <a href="/settings/tokens?preset=${preset}#new">create a restricted access token</a>.</p>`,
  });
};
