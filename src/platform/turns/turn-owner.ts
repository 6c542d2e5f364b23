/** Ends a turn, so that the next caller can start. Calling it again does nothing. */
export type EndTurn = () => void;

/** A caller who waits for a turn. `isGone` tells whether the caller has left. */
type Waiting = { begin(end: EndTurn): void; isGone(): boolean };

export type OwnerLimits = {
  /** How many callers run at once, for an owner and for one of its members. Default: any number. */
  perOwner?: number;
  perMember?: number;
  /** How many callers may wait. Default: any number. */
  mostWaiting?: { perOwner?: number; perMember?: number };
};

type Member = { running: number; waiting: Waiting[] };

const UNLIMITED = Number.POSITIVE_INFINITY;

/** Counts the running and waiting callers of one owner, usually a team. Its members take turns. */
export const createTurnOwner = (name: string, limits: OwnerLimits) => {
  const { perOwner = UNLIMITED, perMember = UNLIMITED, mostWaiting = {} } = limits;
  /** Members. The one who is next comes first. */
  const members = new Map<string, Member>();
  let running = 0;
  let waiting = 0;

  const memberOf = (id: string): Member => {
    const known = members.get(id);
    if (known) return known;
    const member = { running: 0, waiting: [] };
    members.set(id, member);
    return member;
  };

  const forgetIfIdle = (id: string, { running, waiting }: Member): void => {
    if (running === 0 && waiting.length === 0) members.delete(id);
  };

  const isFull = (id: string): boolean =>
    waiting >= (mostWaiting.perOwner ?? UNLIMITED) ||
    (members.get(id)?.waiting.length ?? 0) >= (mostWaiting.perMember ?? UNLIMITED);

  const dropGone = (): void => {
    for (const [id, member] of members) {
      const before = member.waiting.length;
      member.waiting = member.waiting.filter((one) => !one.isGone());
      waiting -= before - member.waiting.length;
      forgetIfIdle(id, member);
    }
  };

  /** Takes a member's next caller who hasn't left. */
  const shift = (member: Member): Waiting | undefined => {
    while (member.waiting.length > 0) {
      const next = member.waiting.shift();
      waiting--;
      if (next && !next.isGone()) return next;
    }
    return undefined;
  };

  return {
    name,
    get waiting(): number {
      return waiting;
    },
    isIdle: (): boolean => members.size === 0,
    /** Whether the owner and this member have room for one more caller, and none of the member's callers is waiting. */
    hasRoom(id: string): boolean {
      const member = members.get(id);
      return running < perOwner && (!member || (member.running < perMember && member.waiting.length === 0));
    },
    begin(id: string): void {
      running++;
      memberOf(id).running++;
    },
    end(id: string): void {
      const member = memberOf(id);
      running--;
      member.running--;
      forgetIfIdle(id, member);
    },
    /** Adds a caller to the queue. False if too many are waiting. */
    push(id: string, one: Waiting): boolean {
      if (isFull(id)) dropGone();
      if (isFull(id)) return false;
      memberOf(id).waiting.push(one);
      waiting++;
      return true;
    },
    /** Takes the next caller for whom there is room. That caller's member goes to the back of the queue. */
    takeNext(): { id: string; next: Waiting } | undefined {
      if (running >= perOwner) return undefined;
      for (const [id, member] of members) {
        const next = member.running < perMember ? shift(member) : undefined;
        if (next) {
          members.delete(id);
          members.set(id, member);
          return { id, next };
        }
        forgetIfIdle(id, member);
      }
      return undefined;
    },
  };
};

export type TurnOwner = ReturnType<typeof createTurnOwner>;
