import type { ContainmentView } from '../../../integrations/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import type { Question } from '../../ask-page.ts';
import { showText } from '../../display/shown-text.ts';
import type { Person } from '../../person.ts';
import { CONTAINMENT, containmentTitle, describeWhat, stopsAllTokens } from './containment-words.ts';

type LiftView = {
  containment: ContainmentView;
  names: ReadonlyMap<string, string>;
  /** Whether the token that it names still exists. */
  hasToken: boolean;
};

const tokenAdvice = ({ containment, hasToken }: LiftView): Html | false => {
  const { token } = containment.filters;
  if (!token)
    return (
      stopsAllTokens(containment) &&
      html`<p>If an access token may still be in the wrong hands, <a href="/settings/tokens">revoke it</a> first.</p>`
    );
  const name = showText(token.name ?? token.id);
  return hasToken
    ? html`<p>If the access token “${name}” may still be in the wrong hands, <a href="/settings/tokens/${token.id}/revoke">revoke it</a> first.</p>`
    : html`<p>The access token “${name}” has ended since, and doesn’t work again.</p>`;
};

/** Asks whether to lift a containment. */
export const liftQuestion = ({ region }: Person, view: LiftView): Question => {
  const { containment, names } = view;
  const back = `${CONTAINMENT.path}/${containment.id}`;
  const what = describeWhat(containment, names, region);
  return {
    title: 'Lift this emergency stop?',
    content: html`<p>This works again at once: <strong>${what}</strong>. What another emergency stop covers stays stopped.</p>
${containment.revoke && html`<p>What was ended at the providers doesn’t: it has to be connected again.</p>`}${tokenAdvice(view)}`,
    ...{ button: 'Lift', back, under: [{ path: back, name: containmentTitle(containment) }] },
  };
};
