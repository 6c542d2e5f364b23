import { toIso } from '../../platform/index.ts';
import type { Client } from '../catalogue/client.ts';
import { refuse } from '../errors.ts';

/** The message may contain the client ID, which isn't secret: every browser that connects sees it. */
export const clientDiffers = (setting: string, clientId: string, of: Client['of']) =>
  refuse(
    409,
    'client_differs',
    of === 'operator'
      ? `It was connected with the OAuth app "${clientId}", and only that one can refresh it. Set ${setting} and its secret to that app.`
      : `It was connected with the OAuth app "${clientId}", but the team has an app of its own, which can't refresh it.`,
  );

export const grantEnds = (expiresAt: number) =>
  refuse(
    409,
    'grant_ends',
    `It can't be refreshed (it has no refresh token, or the provider has no refresh), and its access token ends at ${toIso(expiresAt)}. It has to be connected again here.`,
  );
