import { refuse } from '../errors.ts';

export const lookupUnsupported = () =>
  refuse(409, 'lookup_unsupported', "Patchbay doesn't know how to look up callers at this provider.");

export const logUnsupported = () =>
  refuse(409, 'log_unsupported', "Patchbay doesn't know how to log calls at this provider.");
