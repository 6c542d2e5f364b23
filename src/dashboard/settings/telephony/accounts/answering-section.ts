import { type Html, html } from '../../../../platform/index.ts';
import { findSpeech, type NumberView, type ProviderInfo } from '../../../../telephony/index.ts';
import { card } from '../../../display/card.ts';
import { copyButton } from '../../../display/copy-button.ts';
import { phone } from '../../../display/phone.ts';
import type { Region } from '../../../display/region.ts';
import { pageSteps } from '../../../parts.ts';
import { previewInShort } from '../numbers/answer-words.ts';
import { speechWords } from '../numbers/speech-words.ts';
import type { AccountPageView } from './load-account.ts';

const WORDS = { first: 'First numbers', next: 'More numbers' };

const row = ({ id, number, label, answer }: NumberView, provider: ProviderInfo, region: Region): Html =>
  html`<li><a href="/settings/telephony/numbers/${id}">${phone(number, region)}</a>${copyButton('number', number)}${label && html` <span class="quiet">${label}</span>`}<br>
<span class="hint">When someone calls, it ${previewInShort(answer, region)}. Voice: ${speechWords(provider, findSpeech(provider.languages, answer.speech))}.</span></li>`;

/** Lists the account's numbers, and how calls to each are answered. */
export const answeringSection = (region: Region, view: AccountPageView): Html => {
  const { account, provider, numbers, cursor } = view;
  const path = `/settings/telephony/accounts/${account.id}`;
  return card({
    title: 'How calls are answered',
    id: 'answering',
    content: html`${
      numbers.rows.length === 0
        ? html`<p>No numbers yet. Until you add one, callers hear that the number is not in service.</p>`
        : html`<p class="lead">Each number has its own greeting, voice, phones to ring, and business hours.</p>
<ul class="phone-list">${numbers.rows.map((number) => row(number, provider, region))}</ul>`
    }
${pageSteps({ path, cursor, nextCursor: numbers.nextCursor, words: WORDS })}
${!account.simulated && html`<p><a class="button plain" href="/settings/telephony/numbers/new?account=${account.id}">Add a number</a></p>`}`,
  });
};
