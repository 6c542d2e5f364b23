/** Matches web and email addresses, but not "Acme Inc." or "St. John", which apps don't turn into links. */
const ADDRESS = /:\/\/|www\.|@|[^\s.\u3002][.\u3002]\p{L}[\p{L}\p{M}]|(\d+\.){3}\d/iu;

/** URL schemes that become a link even without slashes. Such a link starts a call or opens a program. */
const SCHEME =
  /(?<![\p{L}\p{N}])(?:bitcoin|callto|data|facetime(?:-audio)?|file|geo|im|javascript|magnet|maps|market|mms|msteams|news|sips?|skype|slack|sms|tel|tg|vbscript|viber|webcal|whatsapp|xmpp|zoommtg):\S/iu;

/** Whether mail and chat apps turn a part of the text into a link. A bare domain is enough. */
export const leadsSomewhere = (text: string): boolean => {
  const plain = text.replaceAll(/\p{C}/gu, '').normalize('NFKC');
  return ADDRESS.test(plain) || SCHEME.test(plain);
};
