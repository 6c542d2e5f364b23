import { Type } from '../../platform/index.ts';

export const Params = Type.Record(
  Type.String({ pattern: '^[a-z][a-zA-Z0-9_]{0,39}$' }),
  Type.String({ maxLength: 300 }),
);
export const ByProvider = Type.Object({ provider: Type.String({ maxLength: 60 }) });
