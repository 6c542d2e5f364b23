import { DEFAULT_CONNECTION, isConnectionName } from '../../integrations/index.ts';
import { digestOf } from '../../platform/index.ts';

const MOST_CHARACTERS = 40;
const MARK_CHARACTERS = 8;

/** Shortens a text to its readable start and a hash of the whole text. */
const shorten = (text: string): string => {
  const start = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MOST_CHARACTERS - MARK_CHARACTERS - 1)
    .replace(/^-+|-+$/g, '');
  return [start || 'nango', digestOf(text).slice(0, MARK_CHARACTERS)].join('-');
};

/**
 * Turns a Nango connection ID into a connection name. An ID that is a valid name, such as a UUID, is kept, except for
 * `default`, which has a special meaning in Patchbay.
 */
export const nameConnection = (connectionId: string): string =>
  isConnectionName(connectionId) && connectionId !== DEFAULT_CONNECTION ? connectionId : shorten(connectionId);

/** Names a second connection with the same ID, team and provider. Nango's IDs are unique only within an integration. */
export const nameSecond = (connectionId: string, integration: string): string =>
  shorten(`${connectionId} ${integration}`);
