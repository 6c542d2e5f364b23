import { Type } from '../../platform/index.ts';

export const ById = Type.Object({ id: Type.String({ maxLength: 60 }) });

export const InstantText = Type.String({ format: 'date-time' });
export const InstantOrNull = Type.Union([InstantText, Type.Null()]);
export const TextOrNull = Type.Union([Type.String(), Type.Null()]);
export const WholeOrNull = Type.Union([Type.Integer(), Type.Null()]);
export const NumberOrNull = Type.Union([Type.Number(), Type.Null()]);
