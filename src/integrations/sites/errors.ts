import { describeFailure, type ProviderFailure } from '../catalogue/provider-failure.ts';
import { refuse } from '../errors.ts';

const LATER: ReadonlySet<ProviderFailure['kind']> = new Set(['unavailable', 'rate_limited', 'unclear']);
const LEAST_WAIT_SECONDS = 5;

export const noSites = () =>
  refuse(409, 'no_sites', 'With this provider, there is nothing to choose: a consent covers one account.');

export const siteUnknown = () =>
  refuse(422, 'site_unknown', "This isn't one of the sites that the consent covers. GET …/sites lists them.", {
    errors: [{ path: 'site', message: 'is not in the list' }],
  });

/** The provider didn't list the sites of the consent. */
export const sitesUnlisted = (failure: ProviderFailure) => {
  if (!LATER.has(failure.kind))
    return refuse(
      502,
      'sites_refused',
      "The provider didn't list what the consent covers. A scope may be missing. Add it and connect again.",
    );
  const seconds = Math.max(LEAST_WAIT_SECONDS, Math.ceil((failure.retryAfterMs ?? 0) / 1_000));
  return refuse(503, 'sites_unavailable', describeFailure(failure), { headers: { 'retry-after': String(seconds) } });
};

/** For a proxy request that needs the chosen site, while no site is chosen. */
export const siteMissing = (provider: string) =>
  refuse(
    409,
    'site_missing',
    `This request needs to know which of the sites that the consent covers is meant. GET /api/integrations/${provider}/sites lists them, and PUT /api/integrations/${provider}/site chooses one.`,
  );
