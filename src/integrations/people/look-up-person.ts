import { formsOf } from '../../platform/index.ts';
import type { CrmContext } from './ask-crm.ts';
import { converse, type Later, laterAfter, type WhichConnection } from './converse.ts';
import { type Matches, readMatches } from './find-person.ts';
import { noteFound } from './people-store.ts';

/** What a lookup brought. `failed`: the provider has refused it, or it isn't turned on anymore. */
export type LookupOutcome = Matches | Later | { state: 'failed' };

/** Looks a number up at a connection's provider. Asks until a search finds somebody. */
export const lookUpPerson = async (
  context: CrmContext,
  which: WhichConnection,
  number: string,
): Promise<LookupOutcome> => {
  const { database, clock } = context;
  const forms = formsOf(number);
  if (!forms) return { state: 'none' };
  const conversation = await converse(context, which);
  if (!conversation) return { state: 'failed' };
  if ('state' in conversation) return conversation;
  const { people, settings, values } = conversation;
  let matches: Matches = { state: 'none' };
  for (const search of people.search) {
    const answer = await conversation.ask(search, forms);
    if (answer.state === 'refused' || answer.state === 'not_allowed') return { state: 'failed' };
    if (answer.state !== 'answered') return laterAfter(answer, settings.failures, clock.now());
    const found = readMatches(answer.content, people, number, values);
    if (!found) return { state: 'failed' };
    matches = found;
    if (matches.state !== 'none') break;
  }
  await noteFound(database, settings, matches.state, clock.now());
  return matches;
};
