import type { Plan, Verb } from './answer-plan.ts';
import type { ReplyContext, ReplyDocument, TelephonyProvider } from './provider.ts';
import { type Element, element, renderXml } from './xml.ts';

/** How a provider's language says each verb of a plan. */
export type Vocabulary<Part> = {
  [Name in Verb['verb']]: (verb: Extract<Verb, { verb: Name }>, context: ReplyContext, plan: Plan) => readonly Part[];
};

export const sayPlan = <Part>(vocabulary: Vocabulary<Part>, plan: Plan, context: ReplyContext): Part[] =>
  plan.flatMap((verb) => {
    const say = vocabulary[verb.verb] as (verb: Verb, context: ReplyContext, plan: Plan) => readonly Part[];
    return say(verb, context, plan);
  });

export const renderXmlWith =
  (vocabulary: Vocabulary<Element>, contentType = 'text/xml; charset=utf-8'): TelephonyProvider['render'] =>
  (plan, context) => ({
    status: 200,
    contentType,
    body: renderXml(element('Response', {}, ...sayPlan(vocabulary, plan, context))),
  });

/** A notice gets no document: an empty one would end the call. */
export const acknowledgeWith = (status: 200 | 204) => (): ReplyDocument => ({ status, contentType: null, body: '' });
