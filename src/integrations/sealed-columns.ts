import { SEALED_APPROVALS } from './approvals/approval-content.ts';
import { SEALED_CLIENT_FIELDS, SEALED_CREDENTIALS } from './clients/clients.ts';
import { SEALED_ATTEMPTS } from './connect/parked.ts';
import { SEALED_TOKENS } from './connections/connection-tokens.ts';
import { SEALED_REVOCATIONS } from './connections/prepare-revocation.ts';
import { SEALED_REQUESTS } from './request-log/request-log.ts';
import { SEALED_WEBHOOKS } from './webhooks/addresses/manage-address.ts';

export const SEALED_IN_INTEGRATIONS = [
  ...SEALED_TOKENS,
  ...SEALED_REVOCATIONS,
  SEALED_CREDENTIALS,
  SEALED_CLIENT_FIELDS,
  SEALED_ATTEMPTS,
  SEALED_REQUESTS,
  ...SEALED_APPROVALS,
  ...SEALED_WEBHOOKS,
];
