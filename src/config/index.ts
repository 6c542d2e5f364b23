/** The settings: what each is, how they are read, and what the rooms are handed of them. */
export { type Config, loadConfig, summarizeConfig } from './config.ts';
export { ConfigRefused } from './config-refused.ts';
export { readIdentitySettings } from './read-identity-settings.ts';
export { readProviders } from './read-providers.ts';
export { readQuickAccount } from './read-quick-account.ts';
