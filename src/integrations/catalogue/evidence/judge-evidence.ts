import type { Confidence, Proof } from '../proof.ts';
import type { BuiltInRecord } from '../provider.ts';
import { type Evidence, listRelied, type Relied, type Standing, standingOf } from './evidence.ts';

/** Fields that must be right for anyone to connect. The others matter only later, or have a cautious default. */
const NEEDED_FOR_OAUTH = /^(?:params|clientFields|callback|authorize\..+|token\..+)$/;
/**
 * Fields that must be right for any key to work. `credential` must be right even if it's the default. With a wrong
 * `verify`, every key is refused.
 */
const NEEDED_FOR_KEY = /^(?:params|fields|token\.(?!response$).+|api\.(?:url|credential|verify))$/;

const isNeeded = (record: BuiltInRecord, { field, written }: Relied): boolean =>
  'fields' in record ? NEEDED_FOR_KEY.test(field) : written && NEEDED_FOR_OAUTH.test(field);

const WEAK: ReadonlySet<Standing> = new Set(['doubtful', 'from memory', 'unproven']);

const rate = (standings: readonly Standing[]): Confidence => {
  if (standings.some((one) => WEAK.has(one))) return 'recalled';
  return standings.every((one) => one === 'confirmed') ? 'confirmed' : 'documented';
};

/** Rates an entry by the weakest evidence for the fields that it needs to connect. */
export const judgeEvidence = (record: BuiltInRecord, evidence: Evidence): Proof => {
  const judged = listRelied(record).map((relied) => ({ ...relied, standing: standingOf(relied, evidence) }));
  const stated = judged.filter(({ written }) => written);
  const own = stated.filter(({ standing }) => standing === 'documented' || standing === 'confirmed');
  return {
    confidence: rate(judged.filter((one) => isNeeded(record, one)).map(({ standing }) => standing)),
    // Defaults come from the standard, so they aren't listed if they have no evidence. A missing revocation is.
    unconfirmed: judged
      .filter(
        ({ field, standing, written }) =>
          WEAK.has(standing) && (written || standing !== 'unproven' || field === 'revoke'),
      )
      .map(({ field }) => field),
    sources: { fields: stated.length, own: own.length, checked: evidence.checked },
  };
};
