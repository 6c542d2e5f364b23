import type { ContainedView, ContainmentView } from './containment-view.ts';

/** Where a containment stands, in the words that pages, the command line, and docs/operations.md share. */
export const sayContainmentState = ({
  state,
  revoke,
  listing,
}: Pick<ContainmentView, 'state' | 'revoke' | 'listing'>): string => {
  if (state === 'lifted') return 'Lifted';
  if (state === 'finished') return 'Stopped; access ended where possible';
  return revoke || listing ? 'Stopped, in progress' : 'Stopped';
};

const GRANT_STATES: Readonly<Record<NonNullable<ContainedView['state']>, string>> = {
  revoked: 'Ended',
  already_gone: 'Had ended before',
  shared: 'Another connection uses the same access',
  pending: 'Being ended',
  failed: "Not ended: the provider didn't confirm it",
  unsupported: 'Has to be removed at the provider',
  unknown: 'Has to be removed at the provider',
};

/** What became of a connection's access at its provider. */
export const sayGrantState = (
  { state }: Pick<ContainedView, 'state'>,
  { stopsConnections }: Pick<ContainmentView, 'stopsConnections'>,
): string => {
  if (state !== null) return GRANT_STATES[state];
  return stopsConnections ? 'Only stopped here' : 'Not stopped';
};
