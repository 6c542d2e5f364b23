import type { KeyObject } from 'node:crypto';
import type { ScannedRow } from '../platform/index.ts';
import { openEnvelope, SealBroken } from './envelope.ts';
import type { KeyRing } from './key-ring.ts';
import type { SealPlace } from './vault.ts';
import { unwrapTeamKey } from './wrap-team-key.ts';

/**
 * A column with sealed values of a team. Each part of the service lists its own columns, because only that part knows
 * the place (`SealPlace`) that each value is bound to.
 */
export type SealedColumn = {
  table: string;
  column: string;
  /** The columns that determine the place of a value. */
  placedBy: readonly string[];
  /**
   * Returns the places that a value may be bound to. `values` are the row's values in the columns of `placedBy`. A
   * value is undefined if an older database doesn't have the column.
   */
  placesOf(...values: (string | undefined)[]): readonly SealPlace[];
  /** Splits the column's text if it contains a list of sealed values. */
  listIn?(stored: string): string[];
};

/** The table of team keys. A seal check must get its rows before rows with values that were sealed with these keys. */
export const TEAM_KEYS = 'team_keys';

type Found = { table: string; column: string; values: number };

const indexesOf = (columns: readonly string[], wanted: readonly string[]): number[] =>
  wanted.map((name) => columns.indexOf(name));

const textAt = (row: ScannedRow, index: number): string | undefined => (index < 0 ? undefined : String(row[index]));

/** Opens every team key and every sealed value in the rows that are added, to find out whether the keys fit. */
export const createSealCheck = (ring: KeyRing, sealedColumns: readonly SealedColumn[]) => {
  const teamKeys = new Map<string, { id: string; key: KeyObject }>();
  const broken = new Map<SealedColumn, number>();
  let opened = 0;

  const addTeamKeys = (columns: readonly string[], rows: readonly ScannedRow[]): void => {
    const at = indexesOf(columns, ['id', 'team_id', 'ring_key_id', 'wrapped']);
    for (const row of rows) {
      const [id = '', teamId = '', ringKeyId = '', wrapped = ''] = at.map((index) => String(row[index]));
      teamKeys.set(teamId, { id, key: unwrapTeamKey(ring, { id, teamId, ringKeyId, wrapped }) });
    }
  };

  const opens = (teamId: string, places: readonly SealPlace[], sealed: string): boolean => {
    const teamKey = teamKeys.get(teamId);
    if (!teamKey || !sealed.startsWith(`v1.${teamKey.id}.`)) return false;
    return places.some(({ record, field }) => {
      try {
        openEnvelope(teamKey.key, [teamId, record, field], sealed);
        return true;
      } catch (error) {
        if (error instanceof SealBroken) return false;
        throw error;
      }
    });
  };

  const checkColumn = (of: SealedColumn, columns: readonly string[], rows: readonly ScannedRow[]): void => {
    const [at = 0, teamAt = 0, ...placedAt] = indexesOf(columns, [of.column, 'team_id', ...of.placedBy]);
    for (const row of rows) {
      const stored = row[at];
      if (stored === null || stored === undefined) continue;
      const places = of.placesOf(...placedAt.map((index) => textAt(row, index)));
      for (const sealed of of.listIn?.(String(stored)) ?? [String(stored)]) {
        if (opens(String(row[teamAt]), places, sealed)) opened++;
        else broken.set(of, (broken.get(of) ?? 0) + 1);
      }
    }
  };

  return {
    /** Throws RingIncomplete if the ring doesn't open a team key. */
    add(table: string, columns: readonly string[], rows: readonly ScannedRow[]): void {
      if (table === TEAM_KEYS) addTeamKeys(columns, rows);
      // An older database may not have the column yet.
      for (const of of sealedColumns)
        if (of.table === table && columns.includes(of.column)) checkColumn(of, columns, rows);
    },
    /** `broken`: how many values don't open with these keys in the place where they're stored. */
    summarize: (): { opened: number; broken: Found[] } => ({
      opened,
      broken: [...broken].map(([{ table, column }, values]) => ({ table, column, values })),
    }),
  };
};

export type SealCheck = ReturnType<typeof createSealCheck>;
