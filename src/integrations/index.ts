/**
 * Third-party accounts of a team: connected through the OAuth authorization-code flow, kept fresh, handed out to admins,
 * and taken away again. What makes one provider differ from another is data (`catalogue/`, docs/providers.md).
 */
export { type Catalogue, CatalogueRefused, loadCatalogue, type Provider } from './catalogue.ts';
export type { OperatorClient } from './clients.ts';
export type { Disconnected } from './disconnect.ts';
export type { SetUp } from './get-set-up.ts';
export { createIntegrations, type Integrations } from './integrations.ts';
export type { ListedProvider } from './provider-list.ts';
export { createSandbox } from './sandbox/index.ts';
export { settingsOf } from './settings-of.ts';
export type { Integration } from './status.ts';
