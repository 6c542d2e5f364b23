import type { Forwarder } from '../../platform/index.ts';
import type { ContainmentWatch } from '../containment/containment-watch.ts';
import type { IntegrationsContext } from '../context.ts';
import type { OpenApis } from '../proxy/open-apis.ts';
import type { CredentialUses } from '../request-log/credential-uses.ts';
import type { Verifier } from '../verification/verifier.ts';

export type ApprovalsContext = IntegrationsContext & {
  forwarder: Forwarder;
  verifier: Verifier;
  apis: OpenApis;
  uses: CredentialUses;
  containmentWatch: ContainmentWatch;
};
