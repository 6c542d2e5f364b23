import type { AuditEvent } from '../../../teams/index.ts';

const ACTIONS: Readonly<Record<string, string>> = {
  'call.returned': 'Marked a call as returned',
  'integration.attempt.refused': 'Was refused to finish a connection that somebody else began',
  'integration.connect': 'Connected',
  'integration.credentials.delete': 'Removed the team’s own credentials',
  'integration.credentials.put': 'Set the team’s own credentials',
  'integration.disconnect': 'Disconnected',
  'integration.reconnect': 'Connected again',
  'integration.token': 'Took a token',
  'link.create': 'Made a sign-in link',
  'member.change': 'Changed a member',
  'member.invite': 'Invited a member',
  'member.reclaim': 'Proved their address, which ended what was made with a link that was handed over',
  'member.remove': 'Removed a member',
  'recording.listen': 'Listened to a recording',
  'recording.remove': 'Removed a recording',
  'recording.remove_at_provider': 'Removed a recording at the provider',
  'report.slack.delete': 'Took the report out of Slack',
  'report.slack.put': 'Set where in Slack the report goes',
  'report.slack.test': 'Tried a test message in Slack',
  'report.subscribe': 'A recipient subscribed to the report again',
  'report.unsubscribe': 'A recipient unsubscribed from the report',
  'session.begin': 'Signed in',
  'session.end': 'Ended a session',
  'session.end_others': 'Ended all other sessions',
  'team.change': 'Changed the settings of the team',
  'team.create': 'Made the team',
  'telephony.account.change': 'Changed a telephony account',
  'telephony.account.create': 'Added a telephony account',
  'telephony.account.delete': 'Removed a telephony account',
  'telephony.account.release': 'Released deliveries that were held',
  'telephony.number.change': 'Changed a number',
  'telephony.number.create': 'Added a number',
  'telephony.number.delete': 'Removed a number',
  'telephony.number.erase': 'Erased what was kept of a caller',
  'token.create': 'Made an access token',
  'token.revoke': 'Revoked an access token',
};

const ACTORS: Readonly<Record<AuditEvent['actor'], string>> = {
  user: 'somebody who has left',
  operator: 'the operator',
  command_line: 'the command line',
  service: 'Patchbay itself',
};

/** What is not in the list is told by its own name. */
export const describeAction = ({ action }: AuditEvent): string => ACTIONS[action] ?? action;

export const describeActor = ({ actor, actorId }: AuditEvent, names: ReadonlyMap<string, string>): string =>
  names.get(actorId ?? '') ?? ACTORS[actor];

const OPAQUE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const isPlain = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const describeValue = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(describeValue).join(', ');
  if (!isPlain(value)) return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name} ${describeValue(part)}`)
    .join(', ');
};

/** Their target is a keyed hash of a mail address. */
const HASHED: readonly string[] = ['report.subscribe', 'report.unsubscribe'];

const nameTarget = ({ action, target }: AuditEvent, names: ReadonlyMap<string, string>): string | undefined => {
  if (target === null || HASHED.includes(action)) return undefined;
  return names.get(target) ?? (OPAQUE.test(target) ? undefined : target);
};

/** Whom or what it was done to, and the details: ids that say nothing to a person are left out. */
export const describeSubject = (event: AuditEvent, names: ReadonlyMap<string, string>): string => {
  const { detail } = event;
  const named = nameTarget(event, names);
  const details = Object.entries<unknown>(detail === null ? {} : JSON.parse(detail))
    .map(([name, value]) => ({ name, words: value === null ? '' : describeValue(value) }))
    .filter(({ words }) => words !== '' && !OPAQUE.test(words))
    .map(({ name, words }) => `${name}: ${words}`);
  return [...(named === undefined ? [] : [named]), ...details].join(' · ');
};
