import { Refusal } from '../platform/index.ts';

const ROOM = 'reports';

const refuse = (status: number, code: string, detail: string, path: string, message: string): Refusal =>
  new Refusal(status, `${ROOM}.${code}`, detail, { errors: [{ path, message }] });

export const weekInvalid = (): Refusal =>
  refuse(400, 'week_invalid', 'Invalid week.', 'week', 'must be an ISO week like 2026-W46');

export const weekUnfinished = (): Refusal =>
  refuse(400, 'week_unfinished', "This week isn't over yet in the team's time zone.", 'week', 'must be a past week');

export const reportTeamUnknown = (): Refusal =>
  refuse(400, 'team_unknown', 'Team not found.', 'team', 'must be a team ID');

export const linkInvalid = (): Refusal =>
  new Refusal(404, `${ROOM}.link_invalid`, 'This link is invalid. Open it from the email again.');

export const reportCursorInvalid = (): Refusal =>
  new Refusal(400, `${ROOM}.cursor_invalid`, 'Invalid cursor. Start again without one.');

export const reportUnknown = (): Refusal =>
  new Refusal(
    404,
    `${ROOM}.report_unknown`,
    'There is no report for this week. For a week that is over, someone with access to the machine can create it: npm run patchbay -- report run --week 2026-W46',
  );

export const slackUrlInvalid = (): Refusal =>
  refuse(
    400,
    'slack_url_invalid',
    "This isn't an incoming webhook URL. Copy it from Slack; it starts with https://hooks.slack.com/.",
    'url',
    'must be the URL of an incoming webhook at hooks.slack.com',
  );

export const slackNotSet = (): Refusal =>
  new Refusal(409, `${ROOM}.slack_not_set`, 'Slack is not set up for this team. Add an incoming webhook URL first.');

/** `problem` is our own text, never Slack's. */
export const slackRefused = (problem: string): Refusal => new Refusal(502, `${ROOM}.slack_refused`, problem);

export const tooManySlackTests = (): Refusal =>
  new Refusal(429, `${ROOM}.too_many_tests`, 'Earlier test messages are still waiting for Slack. Try again shortly.', {
    headers: { 'retry-after': '5' },
  });
