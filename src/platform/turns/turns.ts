import { OWN } from './owner.ts';
import { createTurnOwner, type EndTurn, type OwnerLimits, type TurnOwner } from './turn-owner.ts';

export type { EndTurn } from './turn-owner.ts';

/** An owner, usually a team, and one of its members. */
type Whose = { owner: string; member?: string };

export type TurnLimits = OwnerLimits & {
  /** How many callers run at once in total. Default: any number. */
  atOnce?: number;
  /** How long a caller waits at most. Default: until the turn comes. */
  patienceMs?: number;
  /** Makes the error for a caller when too many are waiting, or when the wait took too long. */
  refuse?: () => Error;
};

const never = (): boolean => false;
const refuseUnsaid = (): Error => new Error('Too many are waiting.');

/**
 * Limits how much runs at once: in total, for each owner, and for each of an owner's members. Other callers wait.
 * Owners take turns, and so do the members of an owner, so a caller with a thousand requests delays only itself. Every
 * second turn goes to the service's own work, which therefore waits for one other owner at most.
 */
export const createTurns = ({ atOnce, patienceMs, refuse = refuseUnsaid, ...ofOwners }: TurnLimits) => {
  const most = atOnce ?? Number.POSITIVE_INFINITY;
  const owners = new Map<string, TurnOwner>();
  /** Owners with waiting callers. The owner who is next comes first. */
  const line = new Set<TurnOwner>();
  let running = 0;
  let waiting = 0;
  let wasOwn = false;

  const ownerOf = (name: string): TurnOwner => {
    const known = owners.get(name);
    if (known) return known;
    const owner = createTurnOwner(name, ofOwners);
    owners.set(name, owner);
    return owner;
  };

  const forgetIfIdle = (owner: TurnOwner): void => {
    if (owner.isIdle()) owners.delete(owner.name);
  };

  const begin = (owner: TurnOwner, member: string): EndTurn => {
    let hasEnded = false;
    running++;
    owner.begin(member);
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      running--;
      owner.end(member);
      beginWaiting(owner);
      forgetIfIdle(owner);
    };
  };

  const beginNext = (owner: TurnOwner): boolean => {
    const before = owner.waiting;
    const taken = owner.takeNext();
    waiting -= before - owner.waiting;
    if (owner.waiting === 0) line.delete(owner);
    if (!taken) {
      forgetIfIdle(owner);
      return false;
    }
    // An owner whose caller starts goes to the back of the queue.
    if (line.delete(owner)) line.add(owner);
    wasOwn = owner.name === OWN;
    taken.next.begin(begin(owner, taken.id));
    return true;
  };

  const beginAny = (): boolean => {
    const own = owners.get(OWN);
    if (own && !wasOwn && beginNext(own)) return true;
    for (const owner of line) if (owner !== own && beginNext(owner)) return true;
    return own !== undefined && beginNext(own);
  };

  /**
   * Starts waiting callers. Without a total limit, only the owner whose caller has just ended can have room for one.
   */
  const beginWaiting = (owner: TurnOwner): void => {
    let hasBegun = true;
    while (hasBegun && running < most) hasBegun = atOnce === undefined ? beginNext(owner) : beginAny();
  };

  /** Takes a turn if one is free right now. Null if not. */
  const tryTake = ({ owner: name, member = '' }: Whose): EndTurn | null => {
    if (running >= most) return null;
    const owner = ownerOf(name);
    return owner.hasRoom(member) ? begin(owner, member) : null;
  };

  const wait = ({ owner: name, member = '' }: Whose, isGone: () => boolean): Promise<EndTurn> =>
    new Promise((resolve, reject) => {
      const owner = ownerOf(name);
      let gaveUp = false;
      const giveUp = (): void => {
        gaveUp = true;
        reject(refuse());
      };
      const timer = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs);
      const goOn = (end: EndTurn): void => {
        clearTimeout(timer);
        resolve(end);
      };
      const before = owner.waiting;
      const isIn = owner.push(member, { begin: goOn, isGone: () => gaveUp || isGone() });
      waiting += owner.waiting - before;
      if (owner.waiting > 0) line.add(owner);
      if (isIn) return;
      clearTimeout(timer);
      reject(refuse());
    });

  /**
   * If a turn is free, returns it without a promise, so that a quick request doesn't wait for the event loop. A caller
   * who `isGone` when the turn comes is skipped, and the promise stays pending.
   */
  const take = (whose: Whose, isGone = never): EndTurn | Promise<EndTurn> => tryTake(whose) ?? wait(whose, isGone);

  return {
    get waiting(): number {
      return waiting;
    },
    tryTake,
    take,
    async run<Result>(whose: Whose, work: () => Promise<Result>): Promise<Result> {
      const turn = take(whose);
      const end = turn instanceof Promise ? await turn : turn;
      try {
        return await work();
      } finally {
        end();
      }
    },
  };
};

export type Turns = ReturnType<typeof createTurns>;
