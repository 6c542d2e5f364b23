import type { TProperties } from 'typebox';
import { Type } from '../../platform/index.ts';

export const ByPageConnection = Type.Object({
  provider: Type.String({ maxLength: 60 }),
  connection: Type.String({ maxLength: 60 }),
});
export const ByPageProvider = Type.Object({ provider: Type.String({ maxLength: 60 }) });

/** A form with these fields and any number of `<prefix>.<name>` fields, because forms have no nested objects. */
export const prefixed = <Fields extends TProperties>(fields: Fields, ...prefixes: string[]) =>
  Type.Object(fields, {
    patternProperties: {
      [`^(?:${prefixes.join('|')})\\.[a-z][a-zA-Z0-9_]{0,39}$`]: { type: 'string', maxLength: 300 },
    },
    additionalProperties: false,
  });

/** Reads the fields with this prefix that are filled in. */
export const readPrefixed = (sent: object, prefix: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(sent).flatMap(([name, value]) => {
      const text = typeof value === 'string' ? value.trim() : '';
      return name.startsWith(`${prefix}.`) && text !== '' ? [[name.slice(prefix.length + 1), text] as const] : [];
    }),
  );
