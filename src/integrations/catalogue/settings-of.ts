const prefixOf = (provider: string): string => `OAUTH_${provider.toUpperCase().replaceAll('-', '_')}`;

/** The names of the settings that hold a provider's client: `OAUTH_<PROVIDER>_CLIENT_ID` and `…_SECRET`. */
export const settingsOf = (provider: string): [string, string] => {
  const prefix = prefixOf(provider);
  return [`${prefix}_CLIENT_ID`, `${prefix}_CLIENT_SECRET`];
};

/** The name of the setting that holds its default scopes. */
export const scopesSettingOf = (provider: string): string => `${prefixOf(provider)}_SCOPES`;

/** The name of the setting that holds the secrets which verify its webhooks. */
export const webhookSettingOf = (provider: string): string => `${prefixOf(provider)}_WEBHOOK_SECRET`;
