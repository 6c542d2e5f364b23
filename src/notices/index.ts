/** Messages by email and in Slack: dispatches, each sent once, and alerts. */
export { alertRoutes } from './alerts/alert-routes.ts';
export type { DescribedAlert } from './alerts/describe-alert.ts';
export { defineDispatches } from './dispatches/define-dispatches.ts';
export type { Dispatch, DispatchAttempt, DispatchState, Send, Unsent } from './dispatches/dispatch.ts';
export { createNotices, type Notices } from './notices.ts';
export { prepareSlackPost } from './slack/prepare-slack-post.ts';
export { parseSlackAddress, SEALED_SLACK_ADDRESSES, sealSlackAddress } from './slack/slack-address.ts';
export { deleteSlackAddress, getSlackAddress, hasSlack, putSlackAddress } from './slack/slack-address-store.ts';
export * from './slack/slack-message.ts';
