import { missedSince, type OpenEndpoint, shownUrlOf } from '../../../events/index.ts';
import { type Html, html, toIso } from '../../../platform/index.ts';
import { copyBlock } from '../../display/copy-button.ts';

const command = (method: string, address: string, body: object): string =>
  `curl -X ${method} -H "Authorization: Bearer $PATCHBAY_OPERATOR_TOKEN" -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(body)}' ${address}`;

/** The commands to run after the operator's receiver works again. Null if the endpoint is active. */
export const repairCommands = (baseUrl: string, { endpoint, url }: OpenEndpoint): Html | null => {
  if (endpoint.inactiveReason === null) return null;
  const address = `${baseUrl}/api/operator/events/endpoints/${endpoint.id}`;
  const turnOn = command('PATCH', address, { active: true });
  const replay = command('POST', `${address}/replay`, { since: toIso(missedSince(endpoint)) });
  return html`<p>To turn ${shownUrlOf(url)} on again, and to have what it missed sent again:</p>
${copyBlock('commands', `${turnOn}\n${replay}`)}`;
};
