import { createTurnQueue, workFor } from '../../platform/index.ts';
import type { Caller } from '../contract/caller.ts';

/** How much of each turn of the event loop goes to requests that waited. */
const SHARE_MS = 4;

/** A request, until it begins. */
type Place = {
  begin(): void;
  /** Nobody waits for it anymore, so it never begins. */
  isGone(): boolean;
};
type Member = { begun: number; waiting: Place[] };
type Team = {
  begun: number;
  waiting: number;
  members: Map<string, Member>;
  /** Who has finished a request since the last turn, once for each. */
  leaving: string[];
  /** It is in the queue for a turn. */
  isCalled: boolean;
};
type Sizes = { member: number; team: number };

/**
 * Limits how many requests of a team are in progress at once, and how many of one member. The others wait; members take
 * turns. A slot is free again only in a later turn of the event loop, in which teams take turns, too: so nobody waits for
 * more than a few requests of a team that sends hundreds, however quick each of them is.
 */
export const createRequestLine = ({ atOnce, mostWaiting }: { atOnce: Sizes; mostWaiting: Sizes }) => {
  const teams = new Map<string, Team>();
  const turns = createTurnQueue(SHARE_MS);

  const teamOf = (teamId: string): Team => {
    const known = teams.get(teamId);
    if (known) return known;
    const team = { begun: 0, waiting: 0, members: new Map(), leaving: [], isCalled: false };
    teams.set(teamId, team);
    return team;
  };

  const memberOf = ({ members }: Team, userId: string): Member => {
    const known = members.get(userId);
    if (known) return known;
    const member = { begun: 0, waiting: [] };
    members.set(userId, member);
    return member;
  };

  const hasSlot = (team: Team, member: Member): boolean => team.begun < atOnce.team && member.begun < atOnce.member;

  const begin = (team: Team, member: Member, place: Place): void => {
    team.begun++;
    member.begun++;
    place.begin();
  };

  /** Begins the next one that someone waits for. False if there is none, or no slot. */
  const beginNext = (team: Team): boolean => {
    for (const [userId, member] of team.members) {
      while (member.waiting.length > 0 && hasSlot(team, member)) {
        const place = member.waiting.shift();
        team.waiting--;
        if (!place || place.isGone()) continue;
        // A member who has had a turn goes to the back.
        team.members.delete(userId);
        team.members.set(userId, member);
        begin(team, member, place);
        return true;
      }
    }
    return false;
  };

  const forgetIdle = (teamId: string, team: Team): void => {
    for (const [userId, { begun, waiting }] of team.members)
      if (begun === 0 && waiting.length === 0) team.members.delete(userId);
    if (team.members.size === 0) teams.delete(teamId);
  };

  const call = (teamId: string, team: Team): void => {
    if (team.isCalled) return;
    team.isCalled = true;
    void workFor(teamId, turns.wait).then(() => goOn(teamId, team));
  };

  /** One after the other: together they would take as long as all of them, and their statements would run at once. */
  const goOn = (teamId: string, team: Team): void => {
    team.isCalled = false;
    for (const userId of team.leaving) memberOf(team, userId).begun--;
    team.begun -= team.leaving.length;
    team.leaving = [];
    if (beginNext(team)) call(teamId, team);
    else forgetIdle(teamId, team);
  };

  const dropGone = (team: Team): void => {
    team.waiting = 0;
    for (const member of team.members.values()) {
      member.waiting = member.waiting.filter((place) => !place.isGone());
      team.waiting += member.waiting.length;
    }
  };

  const isFull = (team: Team, member: Member): boolean =>
    team.waiting >= mostWaiting.team || member.waiting.length >= mostWaiting.member;

  return {
    /** It begins now or later, and must leave then. False if too many are waiting already. */
    enter({ teamId, userId }: Pick<Caller, 'teamId' | 'userId'>, place: Place): boolean {
      const team = teamOf(teamId);
      const member = memberOf(team, userId);
      if (member.waiting.length === 0 && hasSlot(team, member)) {
        begin(team, member, place);
        return true;
      }
      if (isFull(team, member)) dropGone(team);
      if (isFull(team, member)) return false;
      team.waiting++;
      member.waiting.push(place);
      return true;
    },
    leave({ teamId, userId }: Pick<Caller, 'teamId' | 'userId'>): void {
      const team = teamOf(teamId);
      team.leaving.push(userId);
      call(teamId, team);
    },
  };
};

export type RequestLine = ReturnType<typeof createRequestLine>;
