import { createSlots } from '../../platform/index.ts';

/** A place for one request. */
export type Place = {
  /** Makes room for others, because the receiver takes long. Does nothing if too many do. */
  stepAside(): void;
  leave(): void;
};

type Limits = { most: number; mostAside: number };

/** Requests at once. Endpoints whose last response was bad have their own places, so they never take those of others. */
const STEADY: Limits = { most: 512, mostAside: 2_048 };
const TROUBLED: Limits = { most: 64, mostAside: 512 };
const PER_TEAM: Limits = { most: 32, mostAside: 32 };

const createHall = ({ most, mostAside }: Limits) => {
  const slots = createSlots(most);
  const aside = new Map<string, number>();
  const countAside = (key: string, change: number): void => {
    const count = (aside.get(key) ?? 0) + change;
    if (count === 0) aside.delete(key);
    else aside.set(key, count);
  };
  return {
    isFull: (key: string): boolean => (aside.get(key) ?? 0) >= mostAside,
    async take(key: string): Promise<Place> {
      let leave = await slots.take(key);
      return {
        stepAside() {
          leave();
          countAside(key, 1);
          leave = () => countAside(key, -1);
        },
        leave: () => leave(),
      };
    },
  };
};

/**
 * How many requests there are at once, of a team and altogether. Those that have waited for a while stand aside: so
 * however many receivers stop responding together, others soon have their turn.
 */
export const createPlaces = () => {
  const teams = createHall(PER_TEAM);
  const steady = createHall(STEADY);
  const troubled = createHall(TROUBLED);
  return async (teamId: string, isSteady: boolean): Promise<Place> => {
    const all = isSteady ? steady : troubled;
    const ofTeam = await teams.take(teamId);
    const place = await all.take('');
    let isAside = false;
    return {
      stepAside() {
        if (isAside || teams.isFull(teamId) || all.isFull('')) return;
        isAside = true;
        ofTeam.stepAside();
        place.stepAside();
      },
      leave() {
        place.leave();
        ofTeam.leave();
      },
    };
  };
};
