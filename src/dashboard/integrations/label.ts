import type { ExplainError } from '../notice.ts';

/** `user_type` → “User type”, `clientId` → “Client ID” */
export const labelOf = (name: string): string => {
  const words = name.replaceAll('_', ' ').replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`.replace(/\bid\b/, 'ID');
};

export const explainByLabel: ExplainError = ({ path, message }) => ({
  name: labelOf(path.replace(/^params\./, '')),
  message,
});
