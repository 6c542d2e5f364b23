import { Refusal } from '../platform/index.ts';

const ROOM = 'reports';

const refuse = (status: number, code: string, detail: string, path: string, message: string): Refusal =>
  new Refusal(status, `${ROOM}.${code}`, detail, { errors: [{ path, message }] });

export const weekInvalid = (): Refusal =>
  refuse(400, 'week_invalid', 'There is no such week.', 'week', 'must be an ISO week like 2026-W46');

export const weekUnfinished = (): Refusal =>
  refuse(400, 'week_unfinished', 'The week is not over yet where the team is.', 'week', 'must be over');

export const teamUnknown = (): Refusal =>
  refuse(400, 'team_unknown', 'There is no such team.', 'team', 'must be the id of a team');

export const linkInvalid = (): Refusal =>
  new Refusal(404, `${ROOM}.link_invalid`, 'This link is not one that was sent: open it from the mail once more.');

export const cursorInvalid = (): Refusal =>
  new Refusal(400, `${ROOM}.cursor_invalid`, 'The cursor is not one that was handed out: begin without one.');

export const reportUnknown = (): Refusal =>
  new Refusal(
    404,
    `${ROOM}.report_unknown`,
    'There is no report of this week. One of a week that is over is made by "report run --week", or through the cron endpoint.',
  );

export const slackUrlInvalid = (): Refusal =>
  refuse(
    400,
    'slack_url_invalid',
    'This is not the address of an incoming webhook: copy it from Slack, where it begins with https://hooks.slack.com/.',
    'body.url',
    'must be an https address with a path',
  );

export const slackNotSet = (): Refusal =>
  new Refusal(409, `${ROOM}.slack_not_set`, 'The team has no address for Slack: set it first.');

/** `problem` is in our own words. */
export const slackRefused = (problem: string): Refusal => new Refusal(502, `${ROOM}.slack_refused`, problem);
