/** The page that lists agents. */
export const AGENTS_PATH = '/agents';
