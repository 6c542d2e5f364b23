import type { FrameOf } from '../http/index.ts';
import { html } from '../platform/index.ts';
import type { DashboardContext } from './context.ts';
import { masthead } from './frame.ts';
import { FRAME_SCRIPT } from './frame-script.ts';
import { loadPerson, type PersonContext } from './person.ts';

const SIGN_IN = html`<nav aria-label="Sections"><a href="/sign-in">Sign in</a></nav>`;

/** The frame of a page that needs no sign-in: the menu if a person is signed in, otherwise a link to sign in. */
export const createPublicFrame =
  (context: PersonContext & Pick<DashboardContext, 'events'>): FrameOf =>
  async (request) => {
    if (request.caller?.sessionId === undefined) return { masthead: SIGN_IN };
    const person = await loadPerson(context, request);
    const openAlerts = await context.events.alerts.count({ teamId: person.team.id, role: person.role });
    return { masthead: masthead(person, request.url, openAlerts), scripts: [FRAME_SCRIPT] };
  };
