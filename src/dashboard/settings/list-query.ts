import { PageQuery, Type } from '../../platform/index.ts';
import { DoneQuery } from './done-query.ts';

/** The query of a list, which may also say what was just done. */
export const ListQuery = Type.Object({ ...DoneQuery.properties, ...PageQuery.properties });
