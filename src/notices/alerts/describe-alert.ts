import type { Alert, AlertData, AlertResolution } from '../../events/index.ts';
import { leadsSomewhere, toOneLine } from '../../mail/index.ts';
import { formatPhoneNumber } from '../../platform/index.ts';
import { getCallingCode, nameCallers, readHeardIn } from '../../telephony/index.ts';
import type { NoticesContext } from '../context.ts';

/** An alert in words. */
export type DescribedAlert = Pick<Alert, 'id' | 'kind' | 'subject' | 'openedAt'> & {
  /** Whether it's the operator's alert, which only admins may dismiss. */
  forAdmins: boolean;
  /** What happened, in a few words. */
  title: string;
  detail: string | null;
  nextStep: string;
  /** Where to take the next step, and the text of that link. */
  url: string;
  action: string;
  /** How the alert was resolved. Null while the alert is open. */
  resolution: string | null;
};

type Words = Pick<DescribedAlert, 'title' | 'detail' | 'nextStep' | 'url' | 'action' | 'resolution'>;

const LONGEST = 120;
/** The limit for our own descriptions of a problem, which have a few sentences. */
const LONGEST_PROBLEM = 600;
/** The limit for what was said in a voicemail. The call's page has all of it. */
const LONGEST_HEARD = 500;
/** The limit for the path of a request. The page shows all of it. */
const LONGEST_PATH = 80;

/** Puts a text on one line and shortens it: names and labels come from people and providers, and can be long. */
const textOf = (value: unknown, longest = LONGEST): string | null => {
  const text = typeof value === 'string' ? [...toOneLine(value)].slice(0, longest).join('') : '';
  return text === '' ? null : text;
};

/** An email address, which is a harmless link: it only opens a new email. */
const EMAIL_ADDRESS = /^(?!www\.)[\w+-]+(?:\.[\w+-]+)*@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i;

const tokenOf = (data: AlertData): string | null =>
  textOf((data?.['token'] as { name?: unknown } | null | undefined)?.name);

const labelOf = (data: AlertData): string | null =>
  textOf((data?.['account'] as { label?: unknown } | null | undefined)?.label);

/** A provider's error code, as a description of a failure ends with it. */
const ERROR_CODE = / The error code was "[^"]*"\.$/;

const withoutCode = (problem: string): string =>
  leadsSomewhere(ERROR_CODE.exec(problem)?.[0] ?? '') ? problem.replace(ERROR_CODE, '') : problem;

/** Replaces each word that an app would turn into a link, because the caller has chosen what is said. */
const withoutAddresses = (text: string): string => {
  const safe = text.replace(/\S+/gu, (word) => (leadsSomewhere(word) ? '[…]' : word));
  // A link may also come from several words.
  return leadsSomewhere(safe) ? '' : safe;
};

/**
 * Removes an error code, an account label, a caller, a token's name, or a request's path that a mail app would turn into
 * a link. The provider chooses the code, the person who connects an account may have chosen the label, a caller who has
 * no phone number chooses what is reported instead, an agent may have named its token, and it chooses the path.
 */
const withoutLinks = (data: AlertData): AlertData => {
  if (data === null) return null;
  const label = labelOf(data);
  const from = textOf(data['from']);
  const lastError = textOf(data['lastError'], LONGEST_PROBLEM);
  const leads = (text: string | null): boolean => text !== null && leadsSomewhere(text);
  return {
    ...data,
    ...(lastError !== null && { lastError: withoutCode(lastError) }),
    ...(leads(label) && !EMAIL_ADDRESS.test(label ?? '') && { account: null }),
    ...(leads(from) && { from: 'a caller without a phone number' }),
    ...(leads(tokenOf(data)) && { token: null }),
    ...(leads(textOf(data['path'], LONGEST_PATH)) && { path: null }),
    ...(typeof data['heard'] === 'string' && { heard: withoutAddresses(data['heard']) }),
    ...(leads(textOf(data['contact'])) && { contact: null }),
  };
};

const ENDED_CONNECTION: Partial<Record<AlertResolution, string>> = {
  recovered: 'works again',
  reconnected: 'was reconnected',
  disconnected: 'was disconnected',
};

const describeConnection = (url: string, data: AlertData, { resolution }: Alert): Words => {
  const provider = textOf(data?.['name']) ?? 'A connection';
  const account = labelOf(data);
  const name = account ? `${provider} (${account})` : provider;
  const page = textOf(data?.['provider']);
  return {
    title: `${name} needs to be reconnected`,
    detail: textOf(data?.['lastError'], LONGEST_PROBLEM),
    nextStep: `Open ${provider === 'A connection' ? 'it' : provider} in Patchbay and choose Reconnect.`,
    action: 'Reconnect',
    url: page ? `${url}/integrations/${encodeURIComponent(page)}` : `${url}/integrations`,
    resolution: resolution && `${name} ${ENDED_CONNECTION[resolution] ?? 'works again'}`,
  };
};

const callerOf = (data: AlertData, callingCode: string | null): string => {
  if (data === null) return 'an erased number';
  const from = textOf(data['from']);
  if (from === null) return 'a private number';
  const number = formatPhoneNumber(from, callingCode);
  const contact = textOf(data['contact']);
  return contact === null ? number : `${contact} (${number})`;
};

/** What a machine heard in the voicemail. Null if there is no transcript, or none yet. */
const heardWords = (data: AlertData): string | null => {
  const heard = typeof data?.['heard'] === 'string' ? toOneLine(data['heard']) : '';
  if (heard === '') return null;
  const characters = [...heard];
  const isCut = characters.length > LONGEST_HEARD;
  return `A machine heard: “${characters.slice(0, LONGEST_HEARD).join('')}${isCut ? '…' : ''}”`;
};

const describeCall = (url: string, data: AlertData, { kind, subject }: Alert, callingCode: string | null): Words => {
  const from = callerOf(data, callingCode);
  const isVoicemail = kind === 'voicemail';
  const parts = [data?.['demo'] === true ? 'This is a demo call.' : null, heardWords(data)];
  return {
    title: `${isVoicemail ? 'Voicemail' : 'Missed call'} from ${from}`,
    detail: parts.filter((part) => part !== null).join(' ') || null,
    nextStep: `${isVoicemail ? 'Listen to it and call' : 'Call'} back, then mark the call as returned.`,
    action: 'Open the call',
    url: `${url}/calls/${encodeURIComponent(subject)}`,
    resolution: null,
  };
};

const WHY_OFF: Readonly<Record<string, string>> = {
  gone: 'The receiver responded with 410, which means that it wants no more events.',
  failing: 'The receiver accepted nothing for five days.',
};

/**
 * Only a team's own endpoint has a page. The operator's endpoints have none, because only the operator token can change
 * them. Deleted endpoints have none either.
 */
const stepsFor = (url: string, subject: string, data: AlertData): Pick<Words, 'nextStep' | 'action' | 'url'> => {
  const list = `${url}/settings/endpoints`;
  const nextStep = 'Fix the receiver, turn the endpoint on again, and replay what it missed.';
  if (data?.['isTeams'] === true)
    return { nextStep, action: 'Open the endpoint', url: `${list}/${encodeURIComponent(subject)}` };
  if (data?.['isOperators'] !== true) return { nextStep, action: 'Open the endpoints', url: list };
  return {
    nextStep: 'Fix the receiver. Then turn the endpoint on again and replay what it missed, with the operator token.',
    action: 'Show the commands',
    url: `${list}#customers`,
  };
};

const describeEndpoint = (url: string, data: AlertData, { subject, reason, resolution }: Alert): Words => {
  const address = textOf(data?.['url']) ?? 'an endpoint';
  return {
    title: `Events are no longer sent to ${address}`,
    detail: WHY_OFF[reason ?? ''] ?? null,
    ...stepsFor(url, subject, data),
    resolution:
      resolution &&
      (resolution === 'deleted' ? `The endpoint ${address} was deleted` : `Events are sent to ${address} again`),
  };
};

const MINUTE_MS = 60_000;

/** How long a request waits: " after 10 minutes". Empty if that isn't known. */
const minutesBetween = (from: string | null, until: string | null): string => {
  const minutes = Math.round((Date.parse(until ?? '') - Date.parse(from ?? '')) / MINUTE_MS);
  if (!(minutes > 0)) return '';
  return minutes === 1 ? ' after a minute' : ` after ${minutes} minutes`;
};

const describeApproval = (url: string, data: AlertData, { subject }: Alert): Words => {
  const token = tokenOf(data) ?? 'A token';
  const provider = textOf(data?.['name']) ?? 'a provider';
  const request = [textOf(data?.['method']), textOf(data?.['path'], LONGEST_PATH)].filter((part) => part !== null);
  const account = labelOf(data);
  const minutes = minutesBetween(textOf(data?.['requestedAt']), textOf(data?.['expiresAt']));
  return {
    title: `${token} asks to send a request to ${provider}: ${request.join(' ')}`,
    detail: account === null ? null : `With the account ${account}.`,
    nextStep: `Look at what it wants to send. Then approve or refuse it. Without an answer, it expires${minutes}.`,
    action: 'Look at the request',
    url: `${url}/approvals/${encodeURIComponent(subject)}`,
    resolution: null,
  };
};

const describeBackup = (url: string, data: AlertData, { reason, resolution }: Alert): Words => ({
  title: reason === 'overdue' ? 'A scheduled backup is overdue' : 'A scheduled backup failed',
  detail: textOf(data?.['problem'], LONGEST_PROBLEM),
  nextStep: 'Look at the log of the service, fix the cause, and run "npm run patchbay -- backup now".',
  action: 'Open the alerts',
  url: `${url}/alerts`,
  resolution: resolution && 'A scheduled backup was completed',
});

const describeWith = {
  backup: describeBackup,
  reconnect: describeConnection,
  voicemail: describeCall,
  missed: describeCall,
  endpoint: describeEndpoint,
  approval: describeApproval,
};

const describeWithData = async (context: NoticesContext, alert: Alert, data: AlertData): Promise<DescribedAlert> => {
  const { id, kind, subject, openedAt } = alert;
  const callingCode = await getCallingCode(context, alert.teamId);
  const forAdmins = data?.['isOperators'] === true;
  return { id, kind, subject, forAdmins, openedAt, ...describeWith[kind](context.url, data, alert, callingCode) };
};

/**
 * Opens what an alert is about. For a call, adds the name that a CRM has for the caller. For a voicemail, also what was
 * said, if it's known by now: the alert doesn't wait for it.
 */
const openAbout = async (context: NoticesContext, alert: Alert): Promise<AlertData> => {
  const { teamId, kind, subject } = alert;
  const data = await context.events.alerts.openData(alert);
  if (data === null || (kind !== 'voicemail' && kind !== 'missed')) return data;
  const person = (await nameCallers(context, teamId, [subject])).get(subject)?.person;
  const heard = kind === 'voicemail' ? (await readHeardIn(context, teamId, [subject])).get(subject) : undefined;
  return { ...data, ...(person && { contact: person.name }), ...(heard !== undefined && { heard }) };
};

/** Describes an alert for our own pages and the API. */
export const describeAlert = async (context: NoticesContext, alert: Alert): Promise<DescribedAlert> =>
  describeWithData(context, alert, await openAbout(context, alert));

/** Describes an alert for email or Slack, where an app may turn text into links. */
export const describeForMessage = async (context: NoticesContext, alert: Alert): Promise<DescribedAlert> =>
  describeWithData(context, alert, withoutLinks(await openAbout(context, alert)));
