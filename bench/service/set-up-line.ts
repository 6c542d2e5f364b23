import { ACCOUNT_ID, AUTH_TOKEN } from '../telephony/set-up.ts';
import type { Line } from '../telephony/signed-calls.ts';
import { ADMIN } from './place.ts';
import type { Service } from './start-service.ts';

/** The line of a service, with the IDs that are stored with its deliveries. */
export type ServiceLine = Line & { teamId: string; account: string; secretId: string };

const askFor = async <Answer>(url: string, body?: object, method = body ? 'POST' : 'GET'): Promise<Answer> => {
  const response = await fetch(url, {
    method,
    headers: { ...ADMIN, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${url} answers ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
};

/** Sets up an account and one number that is answered, through the API, as an admin does. */
export const setUpLine = async ({ url, waitFor }: Service): Promise<ServiceLine> => {
  await waitFor('/api/team', ADMIN);
  const account = await askFor<{ id: string; secrets: { id: string }[] }>(`${url}/api/telephony/accounts`, {
    provider: 'twilio',
    accountId: ACCOUNT_ID,
    secrets: [AUTH_TOKEN],
  });
  await askFor(`${url}/api/telephony/numbers`, {
    number: '+15551239999',
    account: account.id,
    answer: { greeting: 'Thank you for calling.', forwardTo: ['+15551230077'] },
  });
  const { team } = await askFor<{ team: { id: string } }>(`${url}/api/team`);
  return {
    url: `${url}/api/webhooks/telephony/voice?account=${account.id}`,
    headers: {},
    accountId: ACCOUNT_ID,
    authToken: AUTH_TOKEN,
    publicUrl: `http://localhost:${new URL(url).port}`,
    teamId: team.id,
    account: account.id,
    secretId: account.secrets[0]?.id ?? '',
  };
};

export const changeTeam = ({ url }: Pick<Service, 'url'>, change: object): Promise<unknown> =>
  askFor(`${url}/api/team`, change, 'PATCH');
