import type { AuditEvent } from '../../../teams/index.ts';
import { labelOf } from '../../notice.ts';

const ACTIONS: Readonly<Record<string, string>> = {
  'approval.approve': 'Approved a request',
  'approval.expire': 'A request expired without a decision',
  'approval.fail': "An approved request couldn't be sent",
  'approval.refuse': 'Refused a request',
  'approval.request': 'Asked for an approval',
  'approval.send': 'An approved request was sent',
  'approval.stop': "An approved request wasn't sent, because something had changed",
  'approval.unclear': "It isn't known whether an approved request was sent",
  'call.returned': 'Marked a call as returned',
  'call.reopened': 'Marked a call as not returned',
  'connect_session.create': 'Created a connect session',
  'connect_session.end': 'Ended connect sessions',
  'connect_session.open': 'Opened the page to connect accounts',
  'containment.lift': 'Lifted an emergency stop',
  'containment.start': 'Stopped what may have leaked',
  'event.resend': 'Resent an event',
  'event_alerts.change': 'Turned alerts on or off',
  'event_alerts.dismiss': 'Dismissed an alert',
  'event_endpoint.change': 'Changed an event endpoint',
  'event_endpoint.create': 'Added an event endpoint',
  'event_endpoint.delete': 'Deleted an event endpoint',
  'event_endpoint.replay': 'Resent the events of a period',
  'event_endpoint.rotate': 'Gave an event endpoint a new secret',
  'event_endpoint.test': 'Tested an event endpoint',
  'integration.attempt.refused': "Tried to finish someone else's connection",
  'integration.connect': 'Connected',
  'integration.credentials.delete': "Removed the team's OAuth app",
  'integration.credentials.put': "Set the team's OAuth app",
  'integration.scopes.put': "Changed the scopes of the team's OAuth app",
  'integration.disconnect': 'Disconnected',
  'integration.not_revoked': "The provider didn't end access after a disconnect",
  'integration.reconnect': 'Reconnected',
  'integration.site': 'Chose a site',
  'integration.token': 'Retrieved a token',
  'integration.try': 'Tried the provider',
  'integration.people': 'Changed whether callers are looked up, and calls logged',
  'integration.people.retry': 'Tried again to log a call',
  'integration.webhook.put': 'Made an address for webhooks',
  'integration.webhook.removed': 'Ended an address for webhooks',
  'integration.webhook.rotated': 'Replaced an address for webhooks',
  'integration.webhook.secret': 'Added a secret for webhooks',
  'integration.webhook.secret_removed': 'Removed a secret for webhooks',
  'integration.withdrawn': 'Access was withdrawn at the provider',
  'link.create': 'Created a sign-in link',
  'member.change': 'Changed a member',
  'member.create': 'Added a member',
  'member.invite': 'Invited a member',
  'member.reclaim': 'Verified their address; earlier sessions, tokens, and links ended',
  'member.remove': 'Removed a member',
  'member.restore': 'Restored a member',
  'recording.listen': 'Listened to a recording',
  'recording.remove': 'Removed a recording',
  'recording.remove_at_provider': 'Removed a recording at the provider',
  'report.slack.delete': 'Stopped posting the report to Slack',
  'report.slack.put': 'Set the Slack webhook for the report',
  'report.slack.test': 'Tested the Slack webhook',
  'report.subscribe': 'A recipient subscribed to the report again',
  'report.unsubscribe': 'A recipient unsubscribed from the report',
  'session.begin': 'Signed in',
  'session.end': 'Ended a session',
  'session.end_all': "Ended all of a member's sessions",
  'session.end_others': 'Ended all other sessions',
  'team.change': 'Changed the team settings',
  'team.create': 'Created the team',
  'telephony.account.change': 'Changed a telephony account',
  'telephony.account.create': 'Added a telephony account',
  'telephony.account.delete': 'Removed a telephony account',
  'telephony.account.release': 'Released held requests',
  'telephony.demo.end': 'Removed the demo account',
  'telephony.demo.play': 'Started a demo call',
  'telephony.demo.remove': 'Removed demo calls',
  'telephony.number.change': 'Changed a number',
  'telephony.number.create': 'Added a number',
  'telephony.number.delete': 'Removed a number',
  'telephony.number.erase': 'Erased everything about a phone number',
  'token.create': 'Created an access token',
  'token.revoke': 'Revoked an access token',
};

/** What the actions are about, by the first word of their names. */
const SUBJECTS: Readonly<Record<string, string>> = {
  approval: 'Approvals',
  call: 'Calls',
  connect_session: 'Connect sessions',
  containment: 'Emergency stops',
  event: 'Events',
  event_alerts: 'Alerts',
  event_endpoint: 'Event endpoints',
  integration: 'Integrations',
  link: 'Sign-in links',
  member: 'Members',
  recording: 'Recordings',
  report: 'Reports',
  session: 'Sessions',
  team: 'Team',
  telephony: 'Telephony',
  token: 'Access tokens',
};

/** All actions, grouped by what they are about. */
export const ACTION_GROUPS = Object.entries(SUBJECTS).map(([subject, group]) => ({
  group,
  options: Object.entries(ACTIONS)
    .filter(([action]) => action.startsWith(`${subject}.`))
    .map(([value, label]) => ({ value, label })),
}));

/** The names of the users in the entries, by ID. `operatorId` is the operator itself, if it's among them. */
export type People = { names: ReadonlyMap<string, string>; operatorId: string | undefined };

export const ACTORS: Readonly<Record<AuditEvent['actor'], string>> = {
  user: 'a former member',
  operator: 'Operator',
  command_line: 'Command line',
  service: 'Patchbay',
};

const detailOf = ({ detail }: Pick<AuditEvent, 'detail'>): Record<string, unknown> =>
  detail === null ? {} : JSON.parse(detail);

/** The words for an action. An unknown action is shown by its own name. */
export const describeAction = ({ action }: Pick<AuditEvent, 'action'>): string => ACTIONS[action] ?? action;

/**
 * The words for an actor. What the operator does for a user is never shown as done by the user, and what a restricted
 * token does is never shown as done by its user.
 */
export const describeActor = (
  { actor, actorId, detail = null }: Pick<AuditEvent, 'actor' | 'actorId'> & Partial<Pick<AuditEvent, 'detail'>>,
  { names, operatorId }: People,
): string => {
  const name = names.get(actorId ?? '');
  const { token } = detailOf({ detail });
  if (actor === 'user' && typeof token === 'string') return `Token “${token}” of ${name ?? ACTORS.user}`;
  if (actor !== 'operator') return name ?? ACTORS[actor];
  return actorId === null || actorId === operatorId ? ACTORS.operator : `Operator, for ${name ?? ACTORS.user}`;
};

const OPAQUE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const isPlain = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const describeValue = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(describeValue).join(', ');
  if (!isPlain(value)) return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name} ${describeValue(part)}`)
    .join(', ');
};

/** Actions whose target is a keyed hash of an email address. */
const HASHED: readonly string[] = ['report.subscribe', 'report.unsubscribe'];

const nameTarget = ({ action, target }: AuditEvent, { names }: People): string | undefined => {
  if (target === null || HASHED.includes(action)) return undefined;
  return names.get(target) ?? (OPAQUE.test(target) ? undefined : target);
};

/** The name of a field in a sentence: `timeZone` → "time zone". */
const nameField = (name: string): string =>
  labelOf(name).replace(/^[A-Z](?=[a-z])/, (initial) => initial.toLowerCase());

/** The words for a detail: `['timeZone', 'retention']` → "changed: time zone, retention". */
const describeDetail = (name: string, value: unknown): string =>
  name === 'fields' && Array.isArray(value)
    ? `changed: ${value.map((field) => nameField(String(field))).join(', ')}`
    : `${nameField(name)}: ${describeValue(value)}`;

/** The call that an entry is about. Null if it isn't about a call. */
export const callOf = (event: AuditEvent): string | null => {
  const { action, target } = event;
  if (action.startsWith('call.')) return target;
  const call = action.startsWith('recording.') ? detailOf(event)['call'] : null;
  return typeof call === 'string' ? call : null;
};

/** The approval that an entry is about. Null if it isn't about one. */
export const approvalOf = ({ action, target }: AuditEvent): string | null =>
  action.startsWith('approval.') ? target : null;

/** When the recording that an entry is about was made. Null if it isn't about one. */
export const recordedAtOf = (event: AuditEvent): number | null => {
  const { recordedAt } = detailOf(event);
  return typeof recordedAt === 'string' ? Date.parse(recordedAt) : null;
};

/** The target and the details of an entry, without IDs that mean nothing to a person. */
export const describeSubject = (event: AuditEvent, people: People): string => {
  const named = nameTarget(event, people);
  const { recordedAt: _shownAsTime, token, ...others } = detailOf(event);
  const detail = event.actor === 'user' ? others : { token, ...others };
  const details = Object.entries(detail)
    .filter(
      ([, value]) =>
        value !== null && value !== undefined && describeValue(value) !== '' && !OPAQUE.test(describeValue(value)),
    )
    .map(([name, value]) => describeDetail(name, value));
  return [...(named === undefined ? [] : [named]), ...details].join(' · ');
};
