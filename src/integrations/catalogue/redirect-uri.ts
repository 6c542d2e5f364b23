export const redirectUriOf = (url: string, provider: string): string => `${url}/api/integrations/${provider}/callback`;
