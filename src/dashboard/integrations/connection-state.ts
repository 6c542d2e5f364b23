import type { Integration } from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';

const STATES: Record<Integration['status'], { tone: string; words: string }> = {
  connected: { tone: 'good', words: 'Connected' },
  degraded: { tone: 'warn', words: 'Connected, with issues' },
  needs_reconnect: { tone: 'bad', words: 'Needs reconnecting' },
  disconnected: { tone: '', words: 'Not connected' },
};

/** The state of a connection, in color and in words. */
export const connectionState = (status: Integration['status']): Html => {
  const { tone, words } = STATES[status];
  return html`<span class="state ${tone}">${words}</span>`;
};
