import type { Readable } from 'node:stream';
import type { Caller } from '../../http/index.ts';
import { type ListPage, type PageQuery, readPage, withContext } from '../../platform/index.ts';
import { createExports, findByIdOrKey, getTeam, refuseDemoted } from '../../teams/index.ts';
import { listLedger } from '../containment/contained-store.ts';
import type { ContainedConnection, Containment } from '../containment/containment.ts';
import { type ContainmentOwner, getContainment, listContainments } from '../containment/containment-store.ts';
import { beginContainment } from './begin-containment.ts';
import { type ContainedView, type ContainmentView, viewContained, viewContainment } from './containment-view.ts';
import type { IncidentsContext } from './context.ts';
import {
  containedTeamUnknown,
  containmentCursorInvalid,
  containmentUnknown,
  tooManyContainmentFiles,
} from './errors.ts';
import { createExposureLines, EXPOSURE_HEAD } from './exposure/exposure.ts';
import { LEDGER_HEAD, toLedgerLine } from './exposure/ledger-csv.ts';
import { forecastContainment } from './forecast-containment.ts';
import { liftContainment } from './lift-containment.ts';

/** A containment with a page of its ledger. */
export type ContainmentDetails = ContainmentView & { connections: ContainedView[]; nextCursor: string | null };

/** Who downloads a file: a team's admin, or with null the operator. */
type Downloader = Caller | null;

/** The use cases of containments: for the operator (`owner` is null), and for a team's admins. */
export const createContainments = (context: IncidentsContext) => {
  const { database, catalogue } = context;
  const exportRows = createExports(context, tooManyContainmentFiles);

  const find = async (owner: ContainmentOwner, id: string): Promise<Containment> => {
    const containment = await getContainment(database, owner, id);
    if (!containment) throw containmentUnknown();
    return containment;
  };

  /** Reads a page of a ledger. A team sees only its own connections, whoever began the containment. */
  const readLedger = ({ id, ofTeamId }: Containment, page: PageQuery): Promise<ListPage<ContainedConnection>> =>
    readPage(page, {
      read: (after, limit) => listLedger(database, { containmentId: id, teamId: ofTeamId }, after, limit),
      keyOf: ({ connectionId }: ContainedConnection) => connectionId,
      refuseCursor: containmentCursorInvalid,
    });

  const details = async (containment: Containment, page: PageQuery): Promise<ContainmentDetails> => {
    const { rows, nextCursor } = await readLedger(containment, page);
    return {
      ...(await viewContainment(database, containment)),
      connections: await viewContained(database, catalogue, containment, rows),
      nextCursor,
    };
  };

  /** Writes a file from a whole ledger, a page at a time. */
  const write = (
    downloader: Downloader,
    containment: Containment,
    { head, toLines }: { head: string; toLines(rows: ContainedConnection[]): Promise<string> },
  ): Readable => {
    let cursor: string | null = null;
    return exportRows(downloader, {
      head,
      most: Number.POSITIVE_INFINITY,
      async readPage(limit) {
        if (downloader) await refuseDemoted(database, downloader);
        const { rows, nextCursor } = await readLedger(containment, { limit, ...(cursor === null ? {} : { cursor }) });
        cursor = nextCursor;
        return { lines: await toLines(rows), rows: rows.length, isLast: nextCursor === null };
      },
    });
  };

  return {
    ...withContext(context, { beginContainment, forecastContainment, liftContainment }),

    async list(owner: ContainmentOwner, page: PageQuery): Promise<ListPage<ContainmentView>> {
      const { rows, nextCursor } = await readPage(page, {
        read: (before, limit) => listContainments(database, owner, before, limit),
        keyOf: ({ id }: Containment) => id,
        refuseCursor: containmentCursorInvalid,
      });
      return { rows: await Promise.all(rows.map((row) => viewContainment(database, row))), nextCursor };
    },

    get: async (owner: ContainmentOwner, id: string, page: PageQuery): Promise<ContainmentDetails> =>
      details(await find(owner, id), page),

    /** Writes the whole ledger as CSV. */
    async writeLedger(downloader: Downloader, id: string): Promise<Readable> {
      const containment = await find(downloader?.teamId ?? null, id);
      return write(downloader, containment, {
        head: LEDGER_HEAD,
        toLines: async (rows) =>
          (await viewContained(database, catalogue, containment, rows)).map(toLedgerLine).join(''),
      });
    },

    /** Writes who could have had what was contained, as CSV. */
    async writeExposure(downloader: Downloader, id: string): Promise<Readable> {
      const containment = await find(downloader?.teamId ?? null, id);
      const toLine = createExposureLines(context, containment);
      return write(downloader, containment, {
        head: EXPOSURE_HEAD,
        async toLines(rows) {
          const lines: string[] = [];
          for (const row of rows) lines.push(await toLine(row));
          return lines.join('');
        },
      });
    },

    /** Finds the team that the operator names by its key or ID. */
    async findTeam(named: string): Promise<string> {
      const found = await findByIdOrKey(database, named);
      if (!found || !(await getTeam(database, found.id))) throw containedTeamUnknown();
      return found.id;
    },
  };
};

export type Containments = ReturnType<typeof createContainments>;
