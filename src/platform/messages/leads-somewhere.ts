/** "Acme Inc." and "St. John" aren't turned into links. */
const ADDRESS = /:\/\/|www\.|@|[\p{L}\p{N}][.\u3002]\p{L}{2}|(\d+\.){3}\d/iu;

/** Whether mail and chat apps turn a part of it into a link. Even a bare domain is enough. */
export const leadsSomewhere = (text: string): boolean => ADDRESS.test(text.replaceAll(/\p{C}/gu, '').normalize('NFKC'));
