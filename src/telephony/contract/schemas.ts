import { Type } from '../../platform/index.ts';

export const ById = Type.Object({ id: Type.String({ maxLength: 60 }) });

export const Instant = Type.String({ format: 'date-time' });
export const InstantOrNull = Type.Union([Instant, Type.Null()]);
export const TextOrNull = Type.Union([Type.String(), Type.Null()]);
export const WholeOrNull = Type.Union([Type.Integer(), Type.Null()]);
export const NumberOrNull = Type.Union([Type.Number(), Type.Null()]);
