/** How much a team can have: members, and access tokens and sessions for each member. */
export type TeamLimits = { members: number; tokens: number; sessions: number };
