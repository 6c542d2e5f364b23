import { type Clock, createRateLimit, oncePer } from '../../platform/index.ts';
import { type AuditActor, recordAudit } from '../../teams/index.ts';
import { findProvider } from '../catalogue/catalogue.ts';
import type { Values } from '../catalogue/placeholders.ts';
import { completeParams } from '../catalogue/provider-params.ts';
import type { IntegrationsContext } from '../context.ts';
import { providerRetired } from '../errors.ts';
import { checkSteps, openClient } from './check-provider.ts';
import { triedJustNow } from './errors.ts';
import { ALL_TEAMS, beginCheck, endCheck, findCheck } from './provider-check-store.ts';

/** The minimum time between two tries of the same provider. */
const PAUSE_MS = 20_000;
/** The limit for one team, for all providers together. */
const PER_TEAM = { perMinute: 6 };
const LONGEST_DETAIL = 500;

const limitFor = oncePer((clock: Clock) => createRateLimit({ clock, ...PER_TEAM }));

type Try = { teamId: string; provider: string; params: Values };

/**
 * Tries an entry with the real provider and the client that the team uses, and stores the result. Other teams see the
 * result only if the client is the operator's and no params were entered.
 */
export const tryProvider = async (
  context: IntegrationsContext,
  { teamId, provider: id, params }: Try,
  actor: AuditActor,
): Promise<void> => {
  const { database, clock } = context;
  const provider = findProvider(context.catalogue, id);
  const { record } = provider;
  if (record.retired) throw providerRetired(record.retired.reason);
  const client = await openClient(context, provider, teamId);
  completeParams(record, { ...client?.params, ...params });
  await context.pause.check();
  const waitSeconds = limitFor(clock).take(teamId);
  if (waitSeconds > 0) throw triedJustNow(waitSeconds);
  const isShared = client?.of !== 'team' && Object.keys(params).length === 0;
  const key = { teamId: isShared ? ALL_TEAMS : teamId, provider: id };
  const now = clock.now();
  if (!(await beginCheck(database, key, { now, notSince: now - PAUSE_MS }))) throw triedJustNow(PAUSE_MS / 1_000);
  await recordAudit(context, database, teamId, actor, { action: 'integration.try', target: id });
  const steps = await checkSteps(context, provider, client, params);
  await endCheck(database, key, {
    endedAt: clock.now(),
    steps: steps.map(({ name, state, detail }) => ({ name, state, detail: detail.slice(0, LONGEST_DETAIL) })),
  });
};

/** Returns what is known about an entry: its sources, if it's built in, and the result of the last try. */
export const getEvidence = async (
  { database, catalogue }: Pick<IntegrationsContext, 'database' | 'catalogue'>,
  teamId: string,
  provider: string,
) => {
  const sources = catalogue.get(provider)?.proof?.sources ?? null;
  return { sources, tried: await findCheck(database, { teamId, provider }) };
};

export type ProviderEvidence = Awaited<ReturnType<typeof getEvidence>>;
