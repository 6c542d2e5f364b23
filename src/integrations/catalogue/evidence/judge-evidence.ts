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
const OWN: ReadonlySet<Standing> = new Set(['documented', 'confirmed']);

type Judged = Relied & { standing: Standing };

const rate = (record: BuiltInRecord, judged: readonly Judged[]): Confidence => {
  const needed = judged.filter((one) => isNeeded(record, one));
  if (needed.some(({ standing }) => WEAK.has(standing))) return 'recalled';
  if (needed.every(({ standing }) => standing === 'confirmed')) return 'confirmed';
  return judged.every(({ standing }) => OWN.has(standing)) ? 'documented' : 'referenced';
};

/** Rates an entry by the weakest evidence for its fields. */
export const judgeEvidence = (record: BuiltInRecord, evidence: Evidence): Proof => {
  const judged = listRelied(record).map((relied) => ({ ...relied, standing: standingOf(relied, evidence) }));
  const stated = judged.filter(({ written }) => written);
  return {
    confidence: rate(record, judged),
    unconfirmed: judged.filter(({ standing }) => WEAK.has(standing)).map(({ field }) => field),
    sources: {
      fields: stated.length,
      own: stated.filter(({ standing }) => OWN.has(standing)).length,
      checked: evidence.checked,
    },
  };
};
