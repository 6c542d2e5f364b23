/** The settings: what each one is, how they are read, and what other parts of the service get from them. */
export { type Config, findKeys, loadConfig, type MayCreate, summarizeConfig } from './config.ts';
export { ConfigRefused } from './config-refused.ts';
export { readBrand } from './read-brand.ts';
export { readIdentitySettings } from './read-identity-settings.ts';
export { readProviders } from './read-providers.ts';
export { readQuickAccount } from './read-quick-account.ts';
export { parseDatabaseUrl } from './setting-kinds.ts';
