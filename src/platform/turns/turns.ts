import { OWN } from './owner.ts';

/** The owner, usually a team, and which of its members. */
export type Whose = { owner: string; member?: string };

export type TurnLimits = {
  /** How much runs at once. */
  atOnce?: number;
  perOwner?: number;
  perMember?: number;
  /** How many may wait. Default: any number. */
  mostWaiting?: { perOwner?: number; perMember?: number };
  /** How long each of them waits at most. Default: until it's their turn. */
  patienceMs?: number;
  /** The error if too many are waiting, or if it takes too long. */
  refuse?: () => Error;
};

/** Ends a turn. Calling it again does nothing. */
export type EndTurn = () => void;

type Waiting = { begin(end: EndTurn): void; isGone(): boolean };
type Member = { running: number; waiting: Waiting[] };
type Owner = { name: string; running: number; waiting: number; members: Map<string, Member> };

const UNLIMITED = Number.POSITIVE_INFINITY;
const never = (): boolean => false;
const refuseUnsaid = (): Error => new Error('Too many are waiting.');

/**
 * Limits how much runs at once: in total, for each owner, and for each of an owner's members. The rest waits. Owners take
 * turns, and within an owner its members do, so anyone with a thousand requests only delays themselves. Every second turn
 * goes to the service's own work, which therefore waits for one other owner at most.
 */
export const createTurns = (limits: TurnLimits) => {
  const { atOnce = UNLIMITED, perOwner = UNLIMITED, perMember = UNLIMITED } = limits;
  const { mostWaiting = {}, patienceMs, refuse = refuseUnsaid } = limits;
  const owners = new Map<string, Owner>();
  /** Owners with someone waiting. The one whose turn is next comes first. */
  const line = new Set<Owner>();
  let running = 0;
  let waiting = 0;
  let wasOwn = false;

  const ownerOf = (name: string): Owner => {
    const known = owners.get(name);
    if (known) return known;
    const owner = { name, running: 0, waiting: 0, members: new Map() };
    owners.set(name, owner);
    return owner;
  };

  const memberOf = ({ members }: Owner, name: string): Member => {
    const known = members.get(name);
    if (known) return known;
    const member = { running: 0, waiting: [] };
    members.set(name, member);
    return member;
  };

  const forgetIfIdle = (owner: Owner, memberName: string): void => {
    const member = owner.members.get(memberName);
    if (member?.running === 0 && member.waiting.length === 0) owner.members.delete(memberName);
    if (owner.members.size === 0) owners.delete(owner.name);
  };

  const begin = (owner: Owner, memberName: string): EndTurn => {
    const member = memberOf(owner, memberName);
    running++;
    owner.running++;
    member.running++;
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      running--;
      owner.running--;
      member.running--;
      beginWaiting(owner);
      forgetIfIdle(owner, memberName);
    };
  };

  /** Begins the next of an owner whose caller is still there. False if there is none, or too much runs. */
  const beginNext = (owner: Owner): boolean => {
    if (owner.running >= perOwner) return false;
    for (const [memberName, member] of owner.members) {
      while (member.waiting.length > 0 && member.running < perMember) {
        const next = member.waiting.shift();
        waiting--;
        if (--owner.waiting === 0) line.delete(owner);
        if (!next || next.isGone()) continue;
        // Whose turn it was goes to the back.
        owner.members.delete(memberName);
        owner.members.set(memberName, member);
        if (line.delete(owner)) line.add(owner);
        wasOwn = owner.name === OWN;
        next.begin(begin(owner, memberName));
        return true;
      }
      forgetIfIdle(owner, memberName);
    }
    return false;
  };

  const beginAny = (): boolean => {
    const own = owners.get(OWN);
    if (own && !wasOwn && beginNext(own)) return true;
    for (const owner of line) if (owner !== own && beginNext(owner)) return true;
    return own !== undefined && beginNext(own);
  };

  /** Without a limit for all, only the owner whose turn has ended can have room for another. */
  const beginWaiting = (owner: Owner): void => {
    const beginOne = atOnce === UNLIMITED ? () => beginNext(owner) : beginAny;
    let hasBegun = true;
    while (hasBegun && running < atOnce) hasBegun = beginOne();
  };

  const isFull = (owner: Owner, member: Member): boolean =>
    owner.waiting >= (mostWaiting.perOwner ?? UNLIMITED) ||
    member.waiting.length >= (mostWaiting.perMember ?? UNLIMITED);

  const dropGone = (owner: Owner): void => {
    for (const member of owner.members.values()) {
      const still = member.waiting.filter((one) => !one.isGone());
      waiting -= member.waiting.length - still.length;
      owner.waiting -= member.waiting.length - still.length;
      member.waiting = still;
    }
    if (owner.waiting === 0) line.delete(owner);
  };

  const wait = (owner: Owner, member: Member, isGone: () => boolean): Promise<EndTurn> =>
    new Promise((resolve, reject) => {
      let gaveUp = false;
      const giveUp = (): void => {
        gaveUp = true;
        reject(refuse());
      };
      const timer = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs);
      member.waiting.push({
        begin(end) {
          clearTimeout(timer);
          resolve(end);
        },
        isGone: () => gaveUp || isGone(),
      });
      owner.waiting++;
      waiting++;
      line.add(owner);
    });

  /** A turn that is free right now, or null. */
  const tryTake = ({ owner: name, member: memberName = '' }: Whose): EndTurn | null => {
    const owner = ownerOf(name);
    const member = memberOf(owner, memberName);
    const isFree = running < atOnce && owner.running < perOwner && member.running < perMember;
    if (isFree && member.waiting.length === 0) return begin(owner, memberName);
    forgetIfIdle(owner, memberName);
    return null;
  };

  const waitForTurn = ({ owner: name, member: memberName = '' }: Whose, isGone: () => boolean): Promise<EndTurn> => {
    const owner = ownerOf(name);
    const member = memberOf(owner, memberName);
    if (isFull(owner, member)) dropGone(owner);
    if (!isFull(owner, member)) return wait(owner, member, isGone);
    forgetIfIdle(owner, memberName);
    return Promise.reject(refuse());
  };

  /** Not a promise if the turn is free, so that a quick request needs no turn of the event loop. */
  const take = (whose: Whose, isGone = never): EndTurn | Promise<EndTurn> =>
    tryTake(whose) ?? waitForTurn(whose, isGone);

  return {
    get waiting(): number {
      return waiting;
    },
    tryTake,
    /** A caller who `isGone` when the turn comes is passed over, and the promise stays pending. */
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
