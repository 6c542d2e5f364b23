import type { FrameOf } from '../http/index.ts';
import { html } from '../platform/index.ts';
import type { DashboardContext } from './context.ts';
import { masthead } from './frame.ts';
import { FRAME_SCRIPT } from './frame-script.ts';
import { loadPerson, type PersonContext } from './person.ts';

const SIGN_IN = html`<nav aria-label="Sections"><a href="/sign-in">Sign in</a></nav>`;

/** What is around a page that needs no sign-in: the menu of the person who is signed in, or the way there. */
export const createPublicFrame =
  (context: PersonContext & Pick<DashboardContext, 'events'>): FrameOf =>
  async (request) => {
    if (request.caller?.sessionId === undefined) return { masthead: SIGN_IN };
    const person = await loadPerson(context, request);
    const openAlerts = await context.events.alerts.count(person.team.id);
    return { masthead: masthead(person, request.url, openAlerts), scripts: [FRAME_SCRIPT] };
  };
