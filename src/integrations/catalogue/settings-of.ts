/** The names of the settings that hold a provider's client: `OAUTH_<PROVIDER>_CLIENT_ID` and `…_SECRET`. */
export const settingsOf = (provider: string): [string, string] => {
  const prefix = `OAUTH_${provider.toUpperCase().replaceAll('-', '_')}_CLIENT`;
  return [`${prefix}_ID`, `${prefix}_SECRET`];
};
