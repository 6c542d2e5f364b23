import { Type } from '../../platform/index.ts';

/** What the query says after a form has succeeded. */
export const DoneQuery = Type.Object({ done: Type.Optional(Type.String({ maxLength: 40 })) });
