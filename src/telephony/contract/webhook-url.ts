import type { Step } from './answer-plan.ts';
import type { Delivery } from './delivery.ts';
import type { TelephonyProvider } from './provider.ts';

export const webhookPath = (route: Delivery['route']): string => `/api/webhooks/telephony/${route}`;

/** Makes the URL to paste at the provider. It names the account, so that we needn't find out whose delivery it is. */
export const webhookUrl = (url: string, route: Delivery['route'], accountId: string): string =>
  `${url}${webhookPath(route)}?account=${accountId}`;

/** Makes the URLs of the later steps of a call. */
export const stepUrlOf =
  (url: string, accountId: string, numberId: string | null) =>
  (step: Step): string =>
    `${webhookUrl(url, 'voice', accountId)}${numberId === null ? '' : `&number=${numberId}`}&step=${step}`;

/** Makes setup advice. `retry` is the URL fragment that tells the provider to retry. */
export const adviseWith =
  (notes: readonly string[], retry = ''): TelephonyProvider['advise'] =>
  ({ voice, recording }) => ({
    voiceUrl: `${voice}${retry}`,
    statusUrl: `${voice}&step=status${retry}`,
    recordingUrl: `${recording}${retry}`,
    notes,
  });

export const withStep = (address: string, step: string): string => {
  const url = new URL(address);
  url.searchParams.set('step', step);
  return url.href;
};
