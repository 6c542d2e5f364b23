import { DEFAULT_CONNECTION, isConnectionName } from '../../integrations/index.ts';
import { digestOf } from '../../platform/index.ts';

const MOST_CHARACTERS = 40;
const MARK_CHARACTERS = 8;

/** A readable start of the text, and a mark that no other text has. */
const shorten = (text: string): string => {
  const start = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MOST_CHARACTERS - MARK_CHARACTERS - 1)
    .replace(/^-+|-+$/g, '');
  return [start || 'nango', digestOf(text).slice(0, MARK_CHARACTERS)].join('-');
};

/**
 * The ID of a connection in Nango as the name of ours: the same text if it can be one, as UUIDs can. `default` isn't taken,
 * because it means something here.
 */
export const nameConnection = (connectionId: string): string =>
  isConnectionName(connectionId) && connectionId !== DEFAULT_CONNECTION ? connectionId : shorten(connectionId);

/** For another one of the same team and provider: Nango's IDs are unique only within an integration. */
export const nameSecond = (connectionId: string, integration: string): string =>
  shorten(`${connectionId} ${integration}`);
