import { toParty } from '../contract/party.ts';
import type { TelephonyProvider } from '../contract/provider.ts';
import { acknowledgeWith } from '../provider-parts/reply.ts';
import type { Dialect } from './dialect.ts';
import { factsOfMarkup, keyOfMarkup } from './facts.ts';
import { paramsOf } from './params.ts';
import { occasionOf, renderMarkup } from './reply.ts';
import { sampleNoticeIn } from './simulate.ts';
import { verifyMarkup } from './verify.ts';

/** Implements what providers with the same markup language have in common, in the given dialect. */
export const speakMarkup = (dialect: Dialect) =>
  ({
    challenge: null,
    accountIdOf: (delivery) => paramsOf(delivery).get('AccountSid') ?? null,
    verify: verifyMarkup(dialect),
    keyOf: keyOfMarkup,
    factsOf: factsOfMarkup,
    occasionOf,
    calledParty: (delivery) => toParty(paramsOf(delivery).get('To')),
    render: renderMarkup,
    acknowledge: acknowledgeWith(204),
    sampleNotice: sampleNoticeIn(dialect),
  }) satisfies Partial<TelephonyProvider>;
