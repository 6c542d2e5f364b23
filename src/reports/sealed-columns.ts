import { SEALED_REPORTS } from './figures/sealed-figures.ts';
import { SEALED_RECIPIENTS } from './ledger/recipient.ts';

export const SEALED_IN_REPORTS = [SEALED_REPORTS, SEALED_RECIPIENTS];
