import { type Html, html } from '../../platform/index.ts';
import { card } from '../display/card.ts';
import { postForm } from '../form.ts';
import type { Person } from '../person.ts';

/** Offers a demo voicemail, the quickest way to see a call, its message, and its figures. */
export const demoOffer = (person: Person): Html =>
  card({
    title: 'See it work, in one minute',
    content: html`<p class="quiet">A demo caller leaves a voicemail, and you listen to it. Demo calls are kept apart from real ones. You can remove them at any time.</p>
${postForm(person, { action: '/calls/demo', button: 'Play a demo voicemail' })}`,
  });
