import { SEALED_REPORTS } from './figures/sealed-figures.ts';
import { SEALED_RECIPIENTS } from './ledger/recipient.ts';
import { SEALED_SLACK_ADDRESSES } from './slack/slack-address.ts';

export const SEALED_IN_REPORTS = [SEALED_REPORTS, SEALED_RECIPIENTS, SEALED_SLACK_ADDRESSES];
