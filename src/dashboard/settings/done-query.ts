import { Type } from '../../platform/index.ts';

/** What the address says after a form has done its work. */
export const DoneQuery = Type.Object({ done: Type.Optional(Type.String({ maxLength: 40 })) });
