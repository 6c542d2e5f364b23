import { type AlertSettings, CHOSEN_KINDS, type ChosenKind, PLACES } from '../../../events/index.ts';
import { Type } from '../../../platform/index.ts';
import type { PageRoutes } from '../../pages.ts';
import { alertSettingsPage, boxOf } from './alert-settings-page.ts';

const Box = Type.Optional(Type.String({ maxLength: 10 }));
const AlertsBody = Type.Object(
  Object.fromEntries(CHOSEN_KINDS.flatMap((kind) => PLACES.map((place) => [boxOf(kind, place), Box]))),
);

/** Reads the form. Browsers don't send unchecked boxes. */
const toSettings = (body: Readonly<Record<string, unknown>>): AlertSettings => {
  const placesOf = (kind: ChosenKind) => ({
    pages: boxOf(kind, 'pages') in body,
    mail: boxOf(kind, 'mail') in body,
    slack: boxOf(kind, 'slack') in body,
  });
  return Object.fromEntries(CHOSEN_KINDS.map((kind) => [kind, placesOf(kind)])) as AlertSettings;
};

const done = { saved: 'Alerts saved.' };

export const alertSettingsRoutes: PageRoutes = ({ page, form }, { events, reports }) => {
  page('/settings/alerts', { access: 'member', done }, async ({ person }) => {
    const [settings, recipients] = await Promise.all([
      events.alerts.showSettings(person.team.id),
      reports.listRecipients(person.team),
    ]);
    return alertSettingsPage(person, { settings, recipients });
  });

  form('/settings/alerts', { access: 'admin', body: AlertsBody }, async ({ person, actor, body }) => {
    await events.alerts.setSettings(person.team.id, actor, toSettings(body));
    return '/settings/alerts?done=saved';
  });
};
