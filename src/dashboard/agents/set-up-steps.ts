import { type Html, html } from '../../platform/index.ts';
import { copyBlock } from '../display/copy-button.ts';

const configuration = (value: object): Html => copyBlock('configuration', JSON.stringify(value, null, 2));

/** How to add an agent, by client. The names of their own buttons and files change, so only what is needed is said. */
const stepsOf = (address: string): readonly (readonly [client: string, steps: Html])[] => [
  [
    'Claude Code',
    html`<p>In a terminal:</p>
${copyBlock('command', `claude mcp add --transport http patchbay ${address}`)}
<p>Then start Claude Code, type <code>/mcp</code>, and sign in to <code>patchbay</code>.</p>`,
  ],
  [
    'Claude Desktop and claude.ai',
    html`<p>In the settings, under Connectors, add a connector with the address above.</p>`,
  ],
  ['ChatGPT', html`<p>In its settings for connectors, add one with the address above.</p>`],
  [
    'Cursor',
    html`<p>In <code>.cursor/mcp.json</code>:</p>
${configuration({ mcpServers: { patchbay: { url: address } } })}
<p>Older versions of Cursor open <code>cursor://</code> addresses. For them, whoever runs Patchbay has to set <code>MCP_REDIRECT_SCHEMES=cursor</code>.</p>`,
  ],
  [
    'VS Code',
    html`<p>In <code>mcp.json</code>:</p>
${configuration({ servers: { patchbay: { type: 'http', url: address } } })}`,
  ],
  [
    'MCP inspector',
    html`<p>In a terminal:</p>
${copyBlock('command', 'npx @modelcontextprotocol/inspector')}
<p>Then connect to the address above over Streamable HTTP.</p>`,
  ],
];

/** The steps for each client, folded up. */
export const setUpSteps = (address: string): Html =>
  html`<div class="client-steps">${stepsOf(address).map(
    ([client, steps]) => html`<details name="set-up"><summary>${client}</summary>${steps}</details>
`,
  )}</div>`;
