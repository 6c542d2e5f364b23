import type { Occasion, Plan, Verb } from '../contract/answer-plan.ts';
import { type Delivery, stepOf } from '../contract/delivery.ts';
import type { ReplyContext, ReplyDocument, TelephonyProvider } from '../contract/provider.ts';
import { type Element, element, renderXml } from './xml.ts';

type OccasionSigns = {
  /** Whether the delivery asks how to answer a new call. */
  isNew: boolean;
  /** Whether forwarding is over and a person answered. */
  reached: boolean;
  /** Whether a key was pressed. Null if the provider waits for the key itself. */
  pressed: boolean | null;
};

/** Returns what a delivery asks for, by the step in its URL. */
export const occasionAt = (delivery: Delivery, { isNew, reached, pressed }: OccasionSigns): Occasion => {
  const step = delivery.route === 'recording' ? 'status' : stepOf(delivery);
  if (step === 'dialed') return { kind: 'after_dial', reached };
  if (step === 'voicemail') return { kind: 'after_voicemail' };
  if (step === 'screen') return { kind: 'screen' };
  if (step === 'screened' && pressed !== null) return { kind: 'screened', pressed };
  return step !== 'status' && step !== 'screened' && isNew ? { kind: 'answer' } : { kind: 'nothing' };
};

/** A text, and the voice that speaks it. */
export type Spoken = Pick<Extract<Verb, { verb: 'say' }>, 'text' | 'speech'>;

/** For each verb of a plan, how the provider's language expresses it. */
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

/** Makes a reply without a document, for a delivery that asks for nothing. An empty document would end the call. */
export const acknowledgeWith = (status: 200 | 204) => (): ReplyDocument => ({ status, contentType: null, body: '' });
