import { ALERT_KINDS, type AlertSettings, type AlertWish } from '../../events/index.ts';
import { type Caller, callerOf, type Routes, routeOptions } from '../../http/index.ts';
import { Type, toIso } from '../../platform/index.ts';
import { type AuditActor, actorOf } from '../../teams/index.ts';
import type { DescribedAlert } from './describe-alert.ts';

type Alerts = {
  showSettings(teamId: string): Promise<AlertSettings>;
  setSettings(teamId: string, actor: AuditActor, wish: AlertWish): Promise<void>;
  dismiss(caller: Pick<Caller, 'teamId' | 'role'>, actor: AuditActor, id: string): Promise<void>;
  list(reader: Pick<Caller, 'teamId' | 'role'>): Promise<{ alerts: DescribedAlert[]; hasMore: boolean }>;
};

const strict = { additionalProperties: false } as const;
const Channels = Type.Object(
  {
    mail: Type.Boolean(),
    slack: Type.Boolean(),
    pages: Type.Optional(
      Type.Boolean({ description: 'Behind the bell on the pages. What is sent is there anyway, until it is resolved' }),
    ),
  },
  strict,
);

const KINDS = {
  reconnect: Type.Object(Channels.properties, { ...strict, description: 'A connection needs to be reconnected' }),
  voicemail: Type.Object(Channels.properties, { ...strict, description: 'A voicemail arrived' }),
  missed: Type.Object(Channels.properties, { ...strict, description: 'A call was missed during business hours' }),
  endpoint: Type.Object(Channels.properties, { ...strict, description: 'An event endpoint was deactivated' }),
  approval: Type.Object(Channels.properties, { ...strict, description: 'A request of a restricted token waits' }),
};

const Settings = Type.Object(KINDS, { ...strict, title: 'AlertSettings' });

/** Programs for earlier versions don't send `approval`. */
const WishedSettings = Type.Object(
  { ...KINDS, approval: Type.Optional(KINDS.approval) },
  { ...strict, title: 'WishedAlertSettings' },
);

const AlertView = Type.Object(
  {
    id: Type.String(),
    kind: Type.Enum(ALERT_KINDS),
    subject: Type.String({ description: 'The id of the connection, call, endpoint, or approval, or `backup`' }),
    title: Type.String(),
    detail: Type.Union([Type.String(), Type.Null()]),
    nextStep: Type.String(),
    url: Type.String({ description: 'The page where that can be done' }),
    openedAt: Type.String({ format: 'date-time' }),
  },
  { title: 'Alert' },
);

const toAlertView = ({
  resolution: _,
  action: _action,
  forAdmins: _forAdmins,
  openedAt,
  ...alert
}: DescribedAlert) => ({
  ...alert,
  openedAt: toIso(openedAt),
});

const response = {
  200: Type.Object(
    {
      settings: Settings,
      open: Type.Array(AlertView, { description: 'The newest 100' }),
      hasMore: Type.Boolean(),
    },
    { title: 'Alerts' },
  ),
};

/** The routes for open alerts and for the settings: which alerts are sent, and by which channels. */
export const alertRoutes =
  ({ showSettings, setSettings, dismiss, list }: Alerts): Routes =>
  (server) => {
    const show = async ({ teamId, role }: Caller) => {
      const [settings, { alerts, hasMore }] = await Promise.all([showSettings(teamId), list({ teamId, role })]);
      return { settings, open: alerts.map(toAlertView), hasMore };
    };

    server.get(
      '/api/events/alerts',
      routeOptions('member', 'events')({ summary: 'Show open alerts, and what people are told', response }),
      (request) => show(callerOf(request)),
    );

    server.put(
      '/api/events/alerts',
      routeOptions(
        'admin',
        'events',
      )({
        summary: 'Turn alerts on or off',
        description:
          "By mail they go to the team's admins, and in Slack to the channel of the weekly report. If a kind is off everywhere, its open alerts are closed.",
        body: Type.Object({ settings: WishedSettings }, strict),
        response,
      }),
      async (request) => {
        const caller = callerOf(request);
        await setSettings(caller.teamId, actorOf(request), (request.body as { settings: AlertWish }).settings);
        return show(caller);
      },
    );

    server.post(
      '/api/events/alerts/:id/dismiss',
      routeOptions(
        'member',
        'events',
      )({
        summary: 'Dismiss an open alert',
        description:
          "It's no longer listed, and comes back only if the same happens again after it was resolved. Only an admin can dismiss an alert about backups. Alerts about approvals are for admins alone.",
        params: Type.Object({ id: Type.String({ maxLength: 60 }) }),
        response: { 204: Type.Null() },
      }),
      async (request, reply) => {
        await dismiss(callerOf(request), actorOf(request), request.params.id);
        return reply.code(204).send(null);
      },
    );
  };
