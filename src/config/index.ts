/** The settings: what each is, how they are read, and what the rooms are handed of them. */
export { type Config, loadConfig, summarizeConfig } from './config.ts';
export { ConfigRefused } from './config-refused.ts';
export { readProviders } from './provider-settings.ts';
export { readIdentitySettings } from './read-identity-settings.ts';
export { readQuickAccount } from './telephony-settings.ts';
