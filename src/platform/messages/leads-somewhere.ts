/** "Acme Inc." and "St. John" aren't turned into links. */
const ADDRESS = /:\/\/|www\.|@|[^\s.\u3002][.\u3002]\p{L}[\p{L}\p{M}]|(\d+\.){3}\d/iu;

/** They need no slashes. A phone rings, or a program opens. */
const SCHEME =
  /(?<![\p{L}\p{N}])(?:bitcoin|callto|data|facetime(?:-audio)?|file|geo|im|javascript|magnet|maps|market|mms|msteams|news|sips?|skype|slack|sms|tel|tg|vbscript|viber|webcal|whatsapp|xmpp|zoommtg):\S/iu;

/** Whether mail and chat apps turn a part of it into a link. Even a bare domain is enough. */
export const leadsSomewhere = (text: string): boolean => {
  const plain = text.replaceAll(/\p{C}/gu, '').normalize('NFKC');
  return ADDRESS.test(plain) || SCHEME.test(plain);
};
