/**
 * Connects a team's third-party accounts through the OAuth authorization-code flow or with a key, refreshes their
 * tokens, hands tokens out to admins, and disconnects the accounts. Providers differ only in data (`catalogue/`,
 * docs/providers.md).
 */

export { type ApprovalDetails, ApprovalTold, type ApprovalView } from './approvals/approval-view.ts';
export { setApprovalsApart } from './approvals/old-approval-store.ts';
export { CatalogueRefused, isKeyBased, loadCatalogue } from './catalogue/catalogue.ts';
export type { OperatorClient } from './catalogue/client.ts';
export type { OauthProvider, Provider } from './catalogue/provider.ts';
export { readRetryAfter } from './catalogue/provider-failure.ts';
export { ConnectionTold } from './catalogue/schemas.ts';
export { findScopesFlaw, parseScopes } from './catalogue/scopes.ts';
export {
  fieldSettingOf,
  isSettingOf,
  keySettingsOf,
  neededSettingsOf,
  scopesSettingOf,
  settingsOf,
  usesPrivateKey,
  webhookSettingOf,
} from './catalogue/settings-of.ts';
export { providerCommands } from './checking/provider-commands.ts';
export type { ProviderEvidence } from './checking/try-provider.ts';
export { KeyUnusable, readClientKey } from './clients/client-key.ts';
export { createBindingCookie } from './connect/binding-cookie.ts';
export {
  connectionTitle,
  DEFAULT_CONNECTION,
  isConnectionName,
} from './connections/connection-name.ts';
export type { Disconnected } from './connections/disconnect.ts';
export type { Integration } from './connections/status.ts';
export type { BrandSettings } from './hosted/brand.ts';
export type { Adopter, ForeignConnection } from './imported-connections/foreign-connection.ts';
export { containmentCommands } from './incidents/containment-commands.ts';
export { type ContainedView, ContainmentView } from './incidents/containment-view.ts';
export type { ContainmentDetails } from './incidents/containments.ts';
export type { Forecast } from './incidents/forecast-containment.ts';
export { sayContainmentState, sayGrantState } from './incidents/state-words.ts';
export { createIntegrations, type Integrations } from './integrations.ts';
export type { EndedPeople, PeopleView } from './people/choose-people.ts';
export type { CrmPeople } from './people/people.ts';
export { callerKeyOf } from './request-log/logged-request.ts';
export { requestCommands } from './request-log/request-commands.ts';
export { type UsedCredential, viewRequest } from './request-log/request-view.ts';
export { createSandbox } from './sandbox/index.ts';
export { SEALED_IN_INTEGRATIONS } from './sealed-columns.ts';
export { findByWords } from './set-up/find-by-words.ts';
export type { SetUp } from './set-up/get-set-up.ts';
export type { ListedProvider } from './set-up/list-providers.ts';
export type { DayUsage } from './usage/usage-store.ts';
export type { OperatorWebhook } from './webhooks/addresses/get-operator-webhook.ts';
export type { WebhookSetUp } from './webhooks/addresses/manage-address.ts';
export { toRefusalWords } from './webhooks/addresses/refusal-words.ts';
