import type { Provider } from 'oidc-provider';
import type { Exchange } from './exchange.ts';

/**
 * Finds the interaction by its signed cookie, which identifies the browser. The cookie is `lax`, so a form on another
 * site is sent without it. Null if it was already answered, has expired, or was begun in another browser.
 */
export const findInteraction = async (provider: Provider, { incoming, outgoing }: Exchange, uid: string) => {
  try {
    const interaction = await provider.interactionDetails(incoming, outgoing);
    return interaction.uid === uid ? interaction : null;
  } catch (error) {
    if (error instanceof Error && error.name === 'SessionNotFound') return null;
    throw error;
  }
};
