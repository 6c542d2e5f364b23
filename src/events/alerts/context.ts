import type { Send, SlackMessage } from '../../platform/index.ts';
import type { EventsContext } from '../context.ts';

/** The team's Slack channel. A room above knows its address. */
export type SlackChannel = {
  isSetUp(teamId: string): Promise<boolean>;
  prepare(teamId: string, message: SlackMessage): Promise<Send>;
};

/** Which of these calls nobody needs to return, or not anymore. A room above knows the calls. */
export type FindNotWaiting = (teamId: string, callIds: readonly string[]) => Promise<string[]>;

export type AlertsContext = EventsContext & { slack: SlackChannel; findNotWaiting: FindNotWaiting };
