/**
 * A team's third-party accounts: connected through the OAuth authorization-code flow or with a key, kept fresh, handed
 * out to admins, and disconnected. What makes one provider differ from another is data (`catalogue/`, docs/providers.md).
 */
export { CatalogueRefused, isKeyBased, loadCatalogue } from './catalogue/catalogue.ts';
export type { OperatorClient } from './catalogue/client.ts';
export type { OauthProvider, Provider } from './catalogue/provider.ts';
export { findScopesFlaw, parseScopes } from './catalogue/scopes.ts';
export { scopesSettingOf, settingsOf, webhookSettingOf } from './catalogue/settings-of.ts';
export { ConnectionName, connectionTitle, DEFAULT_CONNECTION } from './connections/connection-name.ts';
export type { Disconnected } from './connections/disconnect.ts';
export type { Integration } from './connections/status.ts';
export type { BrandSettings } from './hosted/brand.ts';
export { createIntegrations, type Integrations } from './integrations.ts';
export type { DayUsage } from './proxy/usage-store.ts';
export { createSandbox } from './sandbox/index.ts';
export type { SetUp } from './set-up/get-set-up.ts';
export type { ListedProvider } from './set-up/list-providers.ts';
