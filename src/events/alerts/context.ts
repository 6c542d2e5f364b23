import type { Send, SlackMessage } from '../../platform/index.ts';
import type { EventsContext } from '../log/context.ts';

/** The team's Slack channel. A room above knows its address. */
export type SlackChannel = {
  isSetUp(teamId: string): Promise<boolean>;
  prepare(teamId: string, message: SlackMessage): Promise<Send>;
};

export type AlertsContext = EventsContext & { slack: SlackChannel };
