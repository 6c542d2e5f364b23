/** The rights that a restricted token can have, each with what it opens. */
export const RIGHTS = {
  status: "the team's name, its integrations and their status, and the list of providers",
  connect: 'start to connect an account, which never replaces another one',
  calls: 'calls, without recordings',
  recordings: 'recordings, and what was said in them',
  reports: 'weekly reports',
  events:
    "the log of events, with callers' numbers, details of recordings, and what happened at the accounts that the token can use, but not what other tokens ask for",
} as const;

export type Right = keyof typeof RIGHTS;

export const RIGHT_NAMES = Object.keys(RIGHTS) as readonly Right[];

/**
 * What a route requires of a restricted token: a right, `allow` for the proxy, `ask` for the approvals that the token
 * has asked for, or nothing but to be one, for `mcp`, which has a tool for each right.
 */
export type RouteRight = Right | 'allow' | 'ask' | 'mcp';

/** Requests that a restricted token can send through the proxy. A field that is null sets no limit unless it says so. */
export type Allowed = {
  provider: string;
  connection: string | null;
  /** The account of the named connection when the token was made. Null if no connection is named. */
  account: AllowedAccount | null;
  /** The name of one of the entry's hosts. Null for the API's own address alone. */
  host: string | null;
  /** Null for what the provider's entry says reads. */
  methods: readonly string[] | null;
  paths: readonly string[] | null;
};

/** Which account an allowed connection had when the token was made. `id` is null if the provider didn't say. */
export type AllowedAccount = {
  id: string | null;
  label: string | null;
  installationId: string | null;
  accountFrom: string | null;
  authority: string;
  /** The ID of the chosen site. */
  site: string | null;
  /** Params that are part of the API's addresses or headers, such as the company of a person's account. */
  places: Readonly<Record<string, string>>;
  connectionId: string;
  connectedAt: number;
};

/** What a restricted token can do. It can do nothing else. */
export type Restriction = {
  can: readonly Right[];
  allow: readonly Allowed[];
  /** How many minutes a request that isn't allowed waits for an approval. Null if such requests are refused. */
  approvalMinutes: number | null;
  /** The operator made the token, so the proxy doesn't require that its user is an admin. */
  byOperator: boolean;
};
