import { formatPhoneNumber, type Html, html, isPhoneNumber } from '../../platform/index.ts';
import { copyButton } from './copy-button.ts';
import type { Region } from './region.ts';

/** A phone number as people write it, in plain text, for example for a page title. */
export const phoneWords = (number: string, { callingCode }: Region): string => formatPhoneNumber(number, callingCode);

/** A phone number as people write it, with the exact number on hover. A SIP address is shown unchanged. */
export const phone = (number: string, region: Region): Html => {
  const words = phoneWords(number, region);
  return words === number ? html`${number}` : html`<span class="phone" title="${number}">${words}</span>`;
};

export const copyablePhone = (number: string, region: Region): Html =>
  html`<span class="copyable"><span>${phone(number, region)}</span>${copyButton('number', number)}</span>`;

/** A link to call a number. Null if the number can't be called. */
export const phoneLink = (number: string | null, region: Region): Html | null =>
  number !== null && isPhoneNumber(number) ? html`<a href="tel:${number}">${phone(number, region)}</a>` : null;
