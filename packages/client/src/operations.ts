// Generated from openapi.json by "npm run generate".

export type Problem = {
  type: string;
  title: string;
  status: number;
  /** Machine-readable, such as `http.not_found` */
  code: string;
  detail: string;
  requestId: string;
  errors?: Array<{
    path: string;
    message: string;
  }> | undefined;
};

export type ConnectionEvent = {
  id: string;
  type: 'connection.connected' | 'connection.reconnected' | 'connection.degraded' | 'connection.recovered' | 'connection.needs_reconnect' | 'connection.disconnected';
  timestamp: string;
  /** Increases with each of a team's events */
  sequence: number;
  team: {
    id: string;
    /** Your product's id for the team, if it has one */
    key: string | null;
  };
  data: {
    provider: string;
    /** Its name, which is `default` unless another was given */
    connection: string;
    /** The provider's name */
    name: string;
    status: 'connected' | 'degraded' | 'needs_reconnect' | 'disconnected';
    reason: string | null;
    account: {
      id: string | null;
      label: string | null;
    } | null;
    /** The company, workspace, or site of a person's account, if the provider says so */
    installation: {
      id: string;
    } | null;
    /** Which of the sites that the consent covers was chosen, for providers where one consent covers several */
    site: {
      id: string;
      label: string;
    } | null;
    /** Whether a site has to be chosen (`PUT /api/integrations/{provider}/site`) before the proxy can send requests that need it */
    siteNeeded: boolean;
    scopes: Array<string>;
    missingScopes: Array<string>;
    connectedAt: string | null;
    connectedBy: {
      id: string;
      key: string | null;
      label: string;
    } | null;
    expiresAt: string | null;
    reconnectBefore: string | null;
    lastRefreshedAt: string | null;
    /** When it was last used through the proxy, to within a few seconds */
    lastUsedAt: string | null;
    lastError: string | null;
    troubleSince: string | null;
    nextTryAt: string | null;
    /** Failed refreshes in a row */
    refreshFailures: number;
    /** Only in `connection.reconnected`: the account that this one has replaced, or null if it is the same */
    previousAccount?: {
      id: string | null;
      label: string | null;
    } | null | undefined;
    url: string;
  } | {
    truncated: true;
  };
};

export type CallEvent = {
  id: string;
  type: 'call.started' | 'call.ended' | 'call.missed' | 'call.voicemail' | 'call.returned' | 'call.reopened';
  timestamp: string;
  /** Increases with each of a team's events */
  sequence: number;
  team: {
    id: string;
    /** Your product's id for the team, if it has one */
    key: string | null;
  };
  data: CallInEvent | {
    truncated: true;
  };
};

export type RecordingEvent = {
  id: string;
  type: 'recording.ready' | 'recording.failed';
  timestamp: string;
  /** Increases with each of a team's events */
  sequence: number;
  team: {
    id: string;
    /** Your product's id for the team, if it has one */
    key: string | null;
  };
  data: RecordingInEvent | {
    truncated: true;
  };
};

export type TranscriptEvent = {
  id: string;
  type: 'transcript.ready';
  timestamp: string;
  /** Increases with each of a team's events */
  sequence: number;
  team: {
    id: string;
    /** Your product's id for the team, if it has one */
    key: string | null;
  };
  data: RecordingInEvent | {
    truncated: true;
  };
};

export type ReportEvent = {
  id: string;
  type: 'report.ready';
  timestamp: string;
  /** Increases with each of a team's events */
  sequence: number;
  team: {
    id: string;
    /** Your product's id for the team, if it has one */
    key: string | null;
  };
  data: ListedReportInEvent | {
    truncated: true;
  };
};

export type ApprovalEvent = {
  id: string;
  type: 'approval.requested' | 'approval.decided';
  timestamp: string;
  /** Increases with each of a team's events */
  sequence: number;
  team: {
    id: string;
    /** Your product's id for the team, if it has one */
    key: string | null;
  };
  data: ApprovalToldInEvent | {
    truncated: true;
  };
};

export type ContainmentEvent = {
  id: string;
  type: 'containment.started' | 'containment.finished' | 'containment.lifted';
  timestamp: string;
  /** Increases with each of a team's events */
  sequence: number;
  team: {
    id: string;
    /** Your product's id for the team, if it has one */
    key: string | null;
  };
  data: ContainmentInEvent | {
    truncated: true;
  };
};

export type ProviderEvent = {
  id: string;
  type: 'provider.event';
  timestamp: string;
  /** Increases with each of a team's events */
  sequence: number;
  team: {
    id: string;
    /** Your product's id for the team, if it has one */
    key: string | null;
  };
  data: {
    provider: string;
    /** The name of the connection. Null if the webhook fits none of them */
    connection: string | null;
    account: {
      id: string | null;
      label: string | null;
    } | null;
    /** The provider's own type */
    type: string;
    /** The provider's ID of the delivery */
    id: string | null;
    receivedAt: string;
    verified: 'signature' | 'token' | 'none';
    /** What the provider sent, if it has at most 16 KB */
    payload?: unknown | undefined;
    /** Where to download what the provider sent, if it is larger */
    payloadUrl?: string | undefined;
    url: string;
  } | {
    truncated: true;
  };
};

export type TestEvent = {
  id: string;
  type: 'test';
  timestamp: string;
  /** Increases with each of a team's events */
  sequence: number;
  team: {
    id: string;
    /** Your product's id for the team, if it has one */
    key: string | null;
  };
  data: {
    message: string;
    url: string;
  };
};

export type TeamEvent = {
  id: string;
  type: 'team.erased';
  timestamp: string;
  /** Increases with each of a team's events */
  sequence: number;
  team: {
    id: string;
    /** Your product's id for the team, if it has one */
    key: string | null;
  };
  data: {
    erased: true;
  };
};

export type Person = {
  name: string;
  /** The page of the contact at the provider */
  url: string | null;
  provider: string;
};

export type CallInEvent = {
  id: string;
  provider: string;
  externalId: string;
  direction: 'inbound' | 'outbound';
  /** null if private or not reported */
  from: string | null;
  to: string | null;
  status: 'ringing' | 'in_progress' | 'ended';
  /** null until the call ends */
  outcome: 'answered' | 'missed' | 'abandoned' | 'voicemail' | 'busy' | 'rejected' | 'canceled' | 'failed' | 'unknown' | null;
  startedAt: string;
  answeredAt: string | null;
  endedAt: string | null;
  talkSeconds: number | null;
  /** For an unanswered call: when the team called back, the caller got through later, or someone marked it as returned */
  returnedAt: string | null;
  /** The caller's name, if the provider looks it up */
  fromName: string | null;
  /** Made by a simulation: it isn't a real call, and reports leave it out */
  demo: boolean;
  /** Who the call was with, if a CRM whose lookups are on has one contact with the number. Always null in events: the name is known only later */
  person: Person | null;
  url: string;
};

export type Transcript = {
  state: 'waiting' | 'ready' | 'failed' | 'none';
  /** What a machine heard. It may be wrong */
  text: string | null;
  /** As whoever made it names the language */
  language: string | null;
  /** Who made it: the telephony provider, or the server of `TRANSCRIBE_URL` */
  source: 'provider' | 'own' | null;
  at: string | null;
};

export type RecordingInEvent = {
  id: string;
  /** null if its call is unknown */
  call: string | null;
  provider: string;
  externalId: string;
  state: 'announced' | 'waiting' | 'archived' | 'absent' | 'failed' | 'removed';
  /** Why it isn't archived, or not yet */
  problem: string | null;
  startedAt: string | null;
  durationSeconds: number | null;
  channels: number | null;
  contentType: string | null;
  bytes: number | null;
  /** Of the audio as fetched, in hexadecimal */
  sha256: string | null;
  /** The host it was fetched from */
  fetchedFrom: string | null;
  archivedAt: string | null;
  removedAt: string | null;
  removedAtProviderAt: string | null;
  /** The provider's own name for what made it */
  source: string | null;
  /** Made by a simulation: it isn't of a real call */
  demo: boolean;
  transcript: Transcript;
  url: string;
};

export type ListedReportInEvent = {
  id: string;
  week: string;
  revision: number;
  timeZone: string;
  startsAt: string;
  endsAt: string;
  /** When the calls still waiting were counted */
  asOf: string;
  contentHash: string;
  createdAt: string;
  /** The week ended before the team was created, so the report is sent to no one */
  predatesTeam: boolean;
  url: string;
};

export type ApprovalToldInEvent = {
  id: string;
  /** `sending`: an admin has approved it. `sent`: the provider has answered, with `status`. `failed`: it was surely not sent. `unclear`: nobody knows whether it was sent */
  state: 'waiting' | 'refused' | 'expired' | 'sending' | 'sent' | 'failed' | 'unclear';
  token: {
    id: string;
    name: string;
  };
  provider: string;
  connection: string;
  account: {
    id: string | null;
    label: string | null;
  };
  /** The name of the entry's host. Null for the API's own address */
  host: string | null;
  method: string;
  path: string;
  requestedAt: string;
  expiresAt: string;
  decidedBy: {
    id: string;
    key: string | null;
    label: string;
  } | null;
  decidedAt: string | null;
  /** The provider's status */
  status: number | null;
  /** Why an approved request wasn't sent, or isn't known to be */
  problem: string | null;
  url: string;
};

export type ContainedTeam = {
  id: string;
  key: string | null;
  name: string | null;
};

export type ContainmentFilters = {
  provider: string | null;
  team: ContainedTeam | null;
  connectedBefore: string | null;
  token: {
    id: string;
    name: string | null;
  } | null;
};

export type ContainmentInEvent = {
  id: string;
  /** Who began it, and can lift it */
  by: 'team' | 'operator';
  reason: string;
  filters: ContainmentFilters;
  revoke: boolean;
  /** If not, only its access token is stopped, and its connections are what that was used with */
  stopsConnections: boolean;
  /** `finished`: whatever can be revoked is revoked. It stays in force until it is lifted */
  state: 'active' | 'finished' | 'lifted';
  /** Whether the list of its connections is still being made */
  listing: boolean;
  startedAt: string;
  finishedAt: string | null;
  liftedAt: string | null;
  url: string;
};

export type DatabaseTable = {
  name: string;
  /** An estimate on PostgreSQL */
  rows: number | null;
  bytes: number | null;
};

export type DatabaseState = {
  /** The database responds and its migrations are up to date */
  ok: boolean;
  engine: 'sqlite' | 'postgresql';
  version: string | null;
  roundTripMs: number | null;
  clockSkewMs: number | null;
  sizeBytes: number | null;
  integrity: 'ok' | 'damaged' | 'unchecked' | null;
  migrations: {
    applied: number | null;
    expected: number | null;
    pending: number | null;
  };
  tables: Array<DatabaseTable>;
  pool: {
    size: number;
    idle: number;
    waiting: number;
  } | null;
  jobs: {
    queued: number | null;
    active: number | null;
    failed: number | null;
    oldestSeconds: number | null;
  };
  cron: {
    lastRunAt: string | null;
  };
  /** The newest scheduled backup that was completed */
  backup: {
    lastAt: string | null;
    bytes: number | null;
  };
};

export type BusinessHours = {
  monday: Array<{
    /** HH:MM */
    opens: string;
    /** HH:MM */
    closes: string;
  }>;
  tuesday: Array<{
    /** HH:MM */
    opens: string;
    /** HH:MM */
    closes: string;
  }>;
  wednesday: Array<{
    /** HH:MM */
    opens: string;
    /** HH:MM */
    closes: string;
  }>;
  thursday: Array<{
    /** HH:MM */
    opens: string;
    /** HH:MM */
    closes: string;
  }>;
  friday: Array<{
    /** HH:MM */
    opens: string;
    /** HH:MM */
    closes: string;
  }>;
  saturday: Array<{
    /** HH:MM */
    opens: string;
    /** HH:MM */
    closes: string;
  }>;
  sunday: Array<{
    /** HH:MM */
    opens: string;
    /** HH:MM */
    closes: string;
  }>;
};

export type Team = {
  id: string;
  /** What the operator's product calls the team */
  key: string | null;
  name: string;
  timeZone: string;
  /** `null`: not set */
  businessHours: BusinessHours | null;
  /** `null`: the team's admins */
  reportRecipients: Array<string> | null;
  /** When the weekly report is ready, in the team's time zone. It covers the last full week, from Monday to Sunday. */
  reportSchedule: {
    day: 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';
    hour: number;
  };
  retention: {
    /** `null`: keep forever */
    recordingDays: number | null;
    payloadDays: number;
  };
  createdAt: string;
};

export type Member = {
  id: string;
  email: string | null;
  name: string | null;
  role: 'admin' | 'member';
  /** Your product's key of the user, if it named them */
  key: string | null;
  source: 'patchbay' | 'identity_provider' | 'operator';
  createdAt: string;
  signedInAt: string | null;
};

export type Invitation = {
  member: Member;
  signInLink: string;
  expiresAt: string;
  /** Whether an email with a separate link was queued. The mail server may still reject it later. */
  mailed: boolean;
};

export type AllowedRequests = {
  provider: string;
  connection: string | null;
  account: {
    id: string | null;
    label: string | null;
  } | null;
  host: string | null;
  methods: Array<string> | null;
  paths: Array<string> | null;
};

export type AccessToken = {
  id: string;
  name: string;
  user: {
    id: string;
    email: string | null;
    key: string | null;
  };
  createdAt: string;
  expiresAt: string;
  usedAt: string | null;
  /** The host of the client that a person granted it to through OAuth. Null for one that was made by hand */
  client: string | null;
  /** Whether a containment stops it */
  contained: boolean;
  can: Array<string> | null;
  allow: Array<AllowedRequests> | null;
  writes: 'refuse' | 'ask' | null;
  approvalMinutes: number | null;
};

export type RequestsToAllow = {
  provider: string;
  /** The name of a connection. The token works with the account that it has now. Default: any */
  connection?: string | undefined;
  /** The name of one of the entry's other hosts. Default: the API's own address alone */
  host?: string | null | undefined;
  /** Default: what the provider's entry says only reads */
  methods?: Array<'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'> | undefined;
  /** Patterns such as `/repos/* /* /issues`. `*` stands for one whole segment, and `**` at the end for the rest. Default: every path */
  paths?: Array<string> | undefined;
};

export type NewAccessToken = {
  id: string;
  name: string;
  createdAt: string;
  expiresAt: string;
  token: string;
};

export type Session = {
  id: string;
  /** The browser and system it began on, like "Chrome on Windows"; `null` if unknown */
  device: string | null;
  createdAt: string;
  /** To the minute */
  lastUsedAt: string | null;
  expiresAt: string;
  /** Whether this request came with this session */
  current: boolean;
};

export type AuditEntry = {
  id: string;
  at: string;
  actor: {
    kind: string;
    id: string | null;
    /** Your product's key of the user, if it named them */
    key: string | null;
  };
  action: string;
  target: string | null;
  /** Your product's key of the user, if it named them */
  targetKey: string | null;
  detail: Record<string, unknown> | null;
  /** The IP address of the request; null for members */
  address: string | null;
  requestId: string | null;
};

export type CustomerUser = {
  id: string;
  key: string;
  name: string | null;
  email: string | null;
};

export type Customer = {
  id: string;
  key: string;
  name: string;
  timeZone: string;
  createdAt: string;
};

export type CustomerDetails = {
  id: string;
  key: string;
  name: string;
  timeZone: string;
  createdAt: string;
  /** How many there are, by status */
  connections: Record<string, number>;
};

export type ConnectSession = {
  token: string;
  expiresAt: string;
  user: {
    id: string;
    key: string;
  };
  pageUrl: string;
};

export type LoggedEvent = {
  id: string;
  type: 'connection.connected' | 'connection.reconnected' | 'connection.degraded' | 'connection.recovered' | 'connection.needs_reconnect' | 'connection.disconnected' | 'call.started' | 'call.ended' | 'call.missed' | 'call.voicemail' | 'call.returned' | 'call.reopened' | 'recording.ready' | 'recording.failed' | 'transcript.ready' | 'report.ready' | 'approval.requested' | 'approval.decided' | 'containment.started' | 'containment.finished' | 'containment.lifted' | 'provider.event' | 'provider.unmatched' | 'test' | 'team.erased';
  timestamp: string;
  /** Increases with each of a team's events */
  sequence: number;
  team: {
    id: string;
    /** Your product's id for the team, if it has one */
    key: string | null;
  };
  /** Only `{"erased":true}` once what it was about has been erased, and `{"withheld":true}` for a restricted token, if it is about an approval, or about a connection that the token does not reach */
  data: Record<string, unknown>;
};

export type AlertSettings = {
  /** A connection needs to be reconnected */
  reconnect: {
    mail: boolean;
    slack: boolean;
    /** Behind the bell on the pages. What is sent is there anyway, until it is resolved */
    pages?: boolean | undefined;
  };
  /** A voicemail arrived */
  voicemail: {
    mail: boolean;
    slack: boolean;
    /** Behind the bell on the pages. What is sent is there anyway, until it is resolved */
    pages?: boolean | undefined;
  };
  /** A call was missed during business hours */
  missed: {
    mail: boolean;
    slack: boolean;
    /** Behind the bell on the pages. What is sent is there anyway, until it is resolved */
    pages?: boolean | undefined;
  };
  /** An event endpoint was deactivated */
  endpoint: {
    mail: boolean;
    slack: boolean;
    /** Behind the bell on the pages. What is sent is there anyway, until it is resolved */
    pages?: boolean | undefined;
  };
  /** A request of a restricted token waits */
  approval: {
    mail: boolean;
    slack: boolean;
    /** Behind the bell on the pages. What is sent is there anyway, until it is resolved */
    pages?: boolean | undefined;
  };
};

export type Alert = {
  id: string;
  kind: 'reconnect' | 'voicemail' | 'missed' | 'endpoint' | 'approval' | 'backup';
  /** The id of the connection, call, endpoint, or approval, or `backup` */
  subject: string;
  title: string;
  detail: string | null;
  nextStep: string;
  /** The page where that can be done */
  url: string;
  openedAt: string;
};

export type Alerts = {
  settings: AlertSettings;
  /** The newest 100 */
  open: Array<Alert>;
  hasMore: boolean;
};

export type WishedAlertSettings = {
  /** A connection needs to be reconnected */
  reconnect: {
    mail: boolean;
    slack: boolean;
    /** Behind the bell on the pages. What is sent is there anyway, until it is resolved */
    pages?: boolean | undefined;
  };
  /** A voicemail arrived */
  voicemail: {
    mail: boolean;
    slack: boolean;
    /** Behind the bell on the pages. What is sent is there anyway, until it is resolved */
    pages?: boolean | undefined;
  };
  /** A call was missed during business hours */
  missed: {
    mail: boolean;
    slack: boolean;
    /** Behind the bell on the pages. What is sent is there anyway, until it is resolved */
    pages?: boolean | undefined;
  };
  /** An event endpoint was deactivated */
  endpoint: {
    mail: boolean;
    slack: boolean;
    /** Behind the bell on the pages. What is sent is there anyway, until it is resolved */
    pages?: boolean | undefined;
  };
  /** A request of a restricted token waits */
  approval?: {
    mail: boolean;
    slack: boolean;
    /** Behind the bell on the pages. What is sent is there anyway, until it is resolved */
    pages?: boolean | undefined;
  } | undefined;
};

export type Endpoint = {
  id: string;
  url: string;
  types: Array<string>;
  active: boolean;
  description: string;
  /** `paused`: by a person. `gone`: the receiver responded with 410. `failing`: it accepted nothing for five days */
  inactiveReason: 'paused' | 'gone' | 'failing' | null;
  inactiveSince: string | null;
  /** null if the last attempts succeeded */
  failingSince: string | null;
  lastSuccessAt: string | null;
  lastFailureAt: string | null;
  /** Whether a replay is still running */
  replaying: boolean;
  createdAt: string;
};

export type NewEndpoint = {
  id: string;
  url: string;
  types: Array<string>;
  active: boolean;
  description: string;
  /** `paused`: by a person. `gone`: the receiver responded with 410. `failing`: it accepted nothing for five days */
  inactiveReason: 'paused' | 'gone' | 'failing' | null;
  inactiveSince: string | null;
  /** null if the last attempts succeeded */
  failingSince: string | null;
  lastSuccessAt: string | null;
  lastFailureAt: string | null;
  /** Whether a replay is still running */
  replaying: boolean;
  createdAt: string;
  /** What to verify signatures with. Shown only now */
  secret: string;
};

export type EndpointTest = {
  event: string;
  delivered: boolean;
  at: string;
  /** null if there was no response */
  status: number | null;
  durationMs: number;
  /** null if it was accepted */
  error: string | null;
};

export type EventAttempt = {
  endpoint: string;
  at: string;
  /** null if there was no response */
  status: number | null;
  durationMs: number;
  /** null if it was accepted */
  error: string | null;
};

export type EventWithAttempts = {
  id: string;
  type: 'connection.connected' | 'connection.reconnected' | 'connection.degraded' | 'connection.recovered' | 'connection.needs_reconnect' | 'connection.disconnected' | 'call.started' | 'call.ended' | 'call.missed' | 'call.voicemail' | 'call.returned' | 'call.reopened' | 'recording.ready' | 'recording.failed' | 'transcript.ready' | 'report.ready' | 'approval.requested' | 'approval.decided' | 'containment.started' | 'containment.finished' | 'containment.lifted' | 'provider.event' | 'provider.unmatched' | 'test' | 'team.erased';
  timestamp: string;
  /** Increases with each of a team's events */
  sequence: number;
  team: {
    id: string;
    /** Your product's id for the team, if it has one */
    key: string | null;
  };
  /** Only `{"erased":true}` once what it was about has been erased, and `{"withheld":true}` for a restricted token, if it is about an approval, or about a connection that the token does not reach */
  data: Record<string, unknown>;
  attempts: Array<EventAttempt>;
};

export type BegunConnect = {
  provider: string;
  connection: string;
  /** Null for a provider that is connected with a key: `connectUrl` leads to a form. Null for a restricted token, too: a person has to follow `connectUrl` */
  authorizationUrl: string | null;
  connectUrl: string;
  expiresAt: string;
  /** The account that is connected under this name now */
  replaces: {
    id: string | null;
    label: string | null;
  } | null;
};

export type Connected = {
  provider: string;
  connection: string;
  outcome: 'connected';
  account: {
    id: string | null;
    label: string | null;
  };
  /** The account that this one has replaced. Null if there was none, or the same */
  previousAccount: {
    id: string | null;
    label: string | null;
  } | null;
  /** Whether a site has to be chosen, as in the status */
  siteNeeded: boolean;
};

export type Integration = {
  provider: string;
  /** Its name, which is `default` unless another was given */
  connection: string;
  /** The provider's name */
  name: string;
  status: 'connected' | 'degraded' | 'needs_reconnect' | 'disconnected';
  reason: string | null;
  account: {
    id: string | null;
    label: string | null;
  } | null;
  /** The company, workspace, or site of a person's account, if the provider says so */
  installation: {
    id: string;
  } | null;
  /** Which of the sites that the consent covers was chosen, for providers where one consent covers several */
  site: {
    id: string;
    label: string;
  } | null;
  /** Whether a site has to be chosen (`PUT /api/integrations/{provider}/site`) before the proxy can send requests that need it */
  siteNeeded: boolean;
  scopes: Array<string>;
  missingScopes: Array<string>;
  connectedAt: string | null;
  connectedBy: {
    id: string;
    key: string | null;
    label: string;
  } | null;
  expiresAt: string | null;
  reconnectBefore: string | null;
  lastRefreshedAt: string | null;
  /** When it was last used through the proxy, to within a few seconds */
  lastUsedAt: string | null;
  lastError: string | null;
  troubleSince: string | null;
  nextTryAt: string | null;
  /** Failed refreshes in a row */
  refreshFailures: number;
};

export type Disconnected = {
  provider: string;
  status: 'disconnected';
  revocation: 'revoked' | 'already_gone' | 'unsupported' | 'unknown' | 'shared' | 'failed_will_retry' | 'not_connected';
  /** Where a person can remove access at the provider. Only if Patchbay could not, and if it is known */
  where?: string | undefined;
  /** Only if there is no connection of the given name: the names of those that there are, at most 20 */
  connections?: Array<string> | undefined;
};

export type ProviderToken = {
  accessToken: string;
  tokenType: string;
  expiresAt: string | null;
  scopes: Array<string>;
};

export type ProviderParam = {
  name: string;
  about: string;
  pattern: string;
  example: string;
  default: string | null;
};

export type ProviderField = {
  name: string;
  label: string;
  /** Where to find it */
  about: string;
  secret: boolean;
  pattern: string | null;
  maxLength: number | null;
};

export type ProviderClientField = {
  name: string;
  label: string;
  /** Where to find it */
  about: string;
  secret: boolean;
  setting: string;
};

export type Provider = {
  id: string;
  name: string;
  category: string;
  /** What else people call it, for a search */
  aliases: Array<string>;
  /** How far the entry can be trusted. `confirmed`: someone has connected at the provider itself. `documented`: the provider documents everything that the entry relies on, defaults included. `referenced`: what it states for connecting has public sources, such as other catalogs. `recalled`: a part of that is known only from memory, or is doubtful. Null for the operator's own entries */
  confidence: 'confirmed' | 'documented' | 'referenced' | 'recalled' | null;
  /** Fields and defaults of the entry that are known only from memory, are doubtful, or have no source */
  unconfirmed: Array<string>;
  configured: boolean;
  ownCredentials: boolean;
  retired: string | null;
  /** Where to register an OAuth app at the provider, if known */
  developerUrl: string | null;
  /** Among the first to offer, where there is not room for all */
  popular: boolean;
  params: Array<ProviderParam>;
  /** Always requested: what identity and refresh need */
  requiredScopes: Array<string>;
  /** What connecting requests if it names no scopes */
  scopes: Array<string>;
  /** Null for key-based providers */
  callbackUrl: string | null;
  settings: Array<string>;
  /** Whether an OAuth app has a private key instead of a secret. `possibly` if its issuer decides */
  privateKey: 'always' | 'never' | 'possibly';
  /** Where webhooks of the operator's OAuth app are received, and the setting with the secret that verifies them. Null if none are */
  webhook: {
    url: string;
    setting: string;
    /** Where the address is entered, and where the secret comes from */
    about: string;
    /** The client secret signs, so the setting is not needed */
    byClientSecret: boolean;
    /** Whether it also says that access was withdrawn */
    reportsWithdrawal: boolean;
  } | null;
  /** How it is connected: through OAuth, or with what a person enters (`PUT /api/integrations/{provider}/key`): a key, or a client ID and secret that access tokens are requested with */
  kind: 'oauth2' | 'api_key' | 'basic' | 'client_credentials';
  /** What a key consists of. Empty for `oauth2` */
  fields: Array<ProviderField>;
  /** What an OAuth app has besides its client ID and secret, and the setting for each */
  clientFields: Array<ProviderClientField>;
  /** The provider's own page about its keys */
  docs: string | null;
  /** If one consent may cover several, and one of them has to be chosen: what the provider calls them, such as `site` or `organization`. Null if there is nothing to choose */
  sites: string | null;
  /** Where the proxy sends requests, with placeholders for what differs between connections, and its other hosts by name. Null for connect sessions, which can't use the proxy */
  api: {
    url: string;
    hosts: Record<string, string>;
  } | null;
};

export type ConnectionSites = {
  provider: string;
  connection: string;
  /** At most 1,000 */
  sites: Array<{
    id: string;
    label: string;
  }>;
  /** The chosen one */
  site: {
    id: string;
    label: string;
  } | null;
};

export type WebhookAddress = {
  /** The address to register at the provider */
  url: string;
  /** Newest first. Any of them verifies */
  secrets: Array<{
    id: string;
    addedAt: string;
    usedAt: string | null;
  }>;
  lastDelivery: {
    at: string;
    type: string;
    /** The name of the connection that it was about. Null if it named none */
    connection: string | null;
  } | null;
  lastRefusal: {
    at: string;
    reason: string;
    message: string;
  } | null;
};

export type UsedCredential = {
  id: string;
  /** When it ended */
  at: string;
  provider: string;
  /** Empty if a request was refused that named none */
  connection: string;
  /** The account at that time */
  account: {
    id: string | null;
    label: string | null;
  } | null;
  /** The name of the entry's host. Null for the API's own address */
  host: string | null;
  method: string | null;
  /** Without the query */
  path: string | null;
  /** What the caller got. Null if the caller left before */
  status: number | null;
  /** Whose response it was */
  from: 'provider' | 'patchbay';
  /** The status is an error, or the provider did not respond, or not completely */
  failed: boolean;
  ms: number | null;
  requestBytes: number | null;
  responseBytes: number | null;
  /** Whether it was sent again with a renewed credential */
  retried: boolean;
  by: {
    /** `proxy`: a request through the proxy. `mcp`: one of an agent, with `call_api`. `approval`: a request of a restricted token that an admin has approved. `people`: one of Patchbay itself, to look up a caller or log a call. `hand_out`: an access token was given out; what was done with it is not known */
    kind: 'proxy' | 'mcp' | 'approval' | 'people' | 'hand_out';
    /** The caller's access token. Null if the caller used another credential */
    id: string | null;
    name: string | null;
    /** What the caller called with. `operator`: the operator's own token. `service`: Patchbay itself. Null if it isn't known */
    via: 'token' | 'jwt' | 'session' | 'admin_token' | 'operator' | 'connect_session' | 'service' | null;
    /** The user who called, or whom the operator acted for */
    userId: string | null;
  };
  client: string | null;
  /** The trace that it belongs to, from `traceparent` or of the exported spans */
  traceId: string | null;
};

export type Approval = {
  id: string;
  /** `sending`: an admin has approved it. `sent`: the provider has answered, with `status`. `failed`: it was surely not sent. `unclear`: nobody knows whether it was sent */
  state: 'waiting' | 'refused' | 'expired' | 'sending' | 'sent' | 'failed' | 'unclear';
  token: {
    id: string;
    name: string;
  };
  provider: string;
  connection: string;
  account: {
    id: string | null;
    label: string | null;
  };
  /** The name of the entry's host. Null for the API's own address */
  host: string | null;
  method: string;
  path: string;
  query: string;
  requestedAt: string;
  expiresAt: string;
  decidedBy: {
    id: string;
    key: string | null;
    label: string;
  } | null;
  decidedAt: string | null;
  /** The provider's status */
  status: number | null;
  /** Why an approved request wasn't sent, or isn't known to be */
  problem: string | null;
};

export type ApprovalDetails = {
  id: string;
  /** `sending`: an admin has approved it. `sent`: the provider has answered, with `status`. `failed`: it was surely not sent. `unclear`: nobody knows whether it was sent */
  state: 'waiting' | 'refused' | 'expired' | 'sending' | 'sent' | 'failed' | 'unclear';
  token: {
    id: string;
    name: string;
  };
  provider: string;
  connection: string;
  account: {
    id: string | null;
    label: string | null;
  };
  /** The name of the entry's host. Null for the API's own address */
  host: string | null;
  method: string;
  path: string;
  query: string;
  requestedAt: string;
  expiresAt: string;
  decidedBy: {
    id: string;
    key: string | null;
    label: string;
  } | null;
  decidedAt: string | null;
  /** The provider's status */
  status: number | null;
  /** Why an approved request wasn't sent, or isn't known to be */
  problem: string | null;
  /** The URL that the path is appended to. Only for admins */
  to?: string | undefined;
  /** What is sent besides the credential. Only for admins. Null once an expired request's content is erased */
  headers?: Array<{
    name: string;
    value: string;
  }> | null | undefined;
  /** Only for admins. Null if there is none */
  body?: {
    /** `base64`: the bytes are no UTF-8, or the request says that they are in another character set, or says it in a way that can be misread */
    encoding: 'utf8' | 'base64';
    text: string;
  } | null | undefined;
};

export type NewContainment = {
  /** What has happened, for the record. Never a secret */
  reason: string;
  /** Connections to this provider, by its ID */
  provider?: string | undefined;
  /** Connections that were connected before this time */
  connectedBefore?: string | undefined;
  /** An access token, by its ID. With `revoke`, also the connections that it was used with */
  token?: string | undefined;
  /** Whether to revoke the grants at their providers as well */
  revoke?: boolean | undefined;
  /** Only says what it would stop */
  dryRun?: boolean | undefined;
};

export type ContainmentForecastOfProvider = {
  provider: string;
  connections: number;
  revocation: 'possible' | 'unsupported' | 'unknown';
  /** Where a person can remove access, if known */
  where: string | null;
};

export type ContainmentForecast = {
  dryRun: true;
  connections: number;
  tokens: number;
  providers: Array<ContainmentForecastOfProvider>;
};

export type ContainedConnection = {
  team: ContainedTeam;
  provider: string;
  connection: string;
  account: {
    id: string | null;
    label: string | null;
  };
  /** `shared`: another connection that isn't contained uses the same grant. `pending`: it's being revoked. `failed`: given up after seven days. `unsupported`: the provider can't revoke it. `unknown`: nobody has found out how. Null if nothing is to be revoked */
  state: 'revoked' | 'already_gone' | 'shared' | 'pending' | 'failed' | 'unsupported' | 'unknown' | null;
  at: string;
  /** Where a person can remove access, if Patchbay cannot and the page is known */
  where: string | null;
};

export type ContainmentDetails = {
  id: string;
  /** Who began it, and can lift it */
  by: 'team' | 'operator';
  reason: string;
  filters: ContainmentFilters;
  revoke: boolean;
  /** If not, only its access token is stopped, and its connections are what that was used with */
  stopsConnections: boolean;
  /** `finished`: whatever can be revoked is revoked. It stays in force until it is lifted */
  state: 'active' | 'finished' | 'lifted';
  /** Whether the list of its connections is still being made */
  listing: boolean;
  startedAt: string;
  finishedAt: string | null;
  liftedAt: string | null;
  connections: Array<ContainedConnection>;
  /** `cursor` for the next page; null if there are no more */
  nextCursor: string | null;
};

export type Containment = {
  id: string;
  /** Who began it, and can lift it */
  by: 'team' | 'operator';
  reason: string;
  filters: ContainmentFilters;
  revoke: boolean;
  /** If not, only its access token is stopped, and its connections are what that was used with */
  stopsConnections: boolean;
  /** `finished`: whatever can be revoked is revoked. It stays in force until it is lifted */
  state: 'active' | 'finished' | 'lifted';
  /** Whether the list of its connections is still being made */
  listing: boolean;
  startedAt: string;
  finishedAt: string | null;
  liftedAt: string | null;
};

export type NewOperatorContainment = {
  /** What has happened, for the record. Never a secret */
  reason: string;
  /** Connections to this provider, by its ID */
  provider?: string | undefined;
  /** Connections that were connected before this time */
  connectedBefore?: string | undefined;
  /** An access token, by its ID. With `revoke`, also the connections that it was used with */
  token?: string | undefined;
  /** Whether to revoke the grants at their providers as well */
  revoke?: boolean | undefined;
  /** Only says what it would stop */
  dryRun?: boolean | undefined;
  /** Only this team, by your product's key for it or its ID */
  team?: string | undefined;
};

export type PeopleState = {
  provider: string;
  connection: string;
  /** Whether callers are looked up */
  lookup: boolean;
  /** Whether calls are logged */
  log: boolean;
  supports: {
    lookup: boolean;
    log: boolean;
  };
  /** What the connection has to be allowed at the provider, in words */
  needs: {
    lookup: string | null;
    log: string | null;
  };
  lookupSince: string | null;
  logSince: string | null;
  /** When a lookup last found exactly one contact */
  lastFoundAt: string | null;
  /** When a lookup last found nobody */
  lastNoMatchAt: string | null;
  /** When a lookup last found several contacts with the same number, so that no name is shown */
  lastSeveralAt: string | null;
  problem: {
    code: 'not_allowed' | 'refused' | 'busy' | 'away' | 'unreadable' | 'stopped';
    message: string;
    at: string;
  } | null;
  /** Until when the provider isn't asked, because it's busy or doesn't answer */
  pausedUntil: string | null;
};

export type TelephonySecret = {
  id: string;
  addedAt: string | null;
  lastUsedAt: string | null;
};

export type TelephonyRefusal = {
  reason: string;
  /** Which single change would have made it valid */
  hint: string;
  count: number;
  firstAt: string | null;
  lastAt: string | null;
};

export type TelephonyAccount = {
  id: string;
  provider: string;
  accountId: string | null;
  mode: 'enforce' | 'observe';
  observeUntil: string | null;
  removesArchived: boolean;
  /** Their IDs and when each was last used; never the secrets themselves */
  secrets: Array<TelephonySecret>;
  /** The names of the API credentials that are set */
  api: Array<string>;
  /** Paste these at the provider exactly as they are */
  webhooks: {
    voiceUrl: string;
    statusUrl: string;
    recordingUrl: string;
    notes: Array<string>;
  };
  /** How many numbers it has */
  numbers: number;
  /** Made by a simulation: its calls aren't real, and it can't be changed or given numbers. Reports leave it out */
  simulated: boolean;
  held: {
    count: number;
    bytes: number;
    most: number;
  };
  refusals: Array<TelephonyRefusal>;
};

export type Answer = {
  greeting?: string | null | undefined;
  forwardTo?: Array<string> | undefined;
  ringSeconds?: number | undefined;
  /** Require a key press to accept the call */
  screen?: boolean | undefined;
  voicemail?: boolean | undefined;
  voicemailPrompt?: string | null | undefined;
  record?: boolean | undefined;
  notice?: string | null | undefined;
  /** Who speaks; null for the provider's standard voice */
  speech?: {
    /** Like en-GB; the provider must speak it */
    language: string;
    /** One of the provider's voices for the language, like Polly.Amy; null for its standard one */
    voice?: string | null | undefined;
  } | null | undefined;
  hours?: {
    /** null for the team's business hours */
    open: BusinessHours | null;
    outside: {
      greeting?: string | null | undefined;
      forwardTo?: Array<string> | undefined;
      ringSeconds?: number | undefined;
      /** Require a key press to accept the call */
      screen?: boolean | undefined;
      voicemail?: boolean | undefined;
      voicemailPrompt?: string | null | undefined;
      record?: boolean | undefined;
      notice?: string | null | undefined;
    };
  } | null | undefined;
  /** Who turns recordings into text: nobody, the telephony provider (voicemails only), or the server of `TRANSCRIBE_URL`, which gets the audio */
  transcribe?: 'off' | 'provider' | 'own' | undefined;
};

export type PhoneNumber = {
  id: string;
  /** With a country code, like +15551230001 */
  number: string;
  label: string | null;
  /** The telephony account's ID in Patchbay */
  account: string;
  answer: Answer;
  /** It belongs to a simulated account, so nobody can call it or change it */
  simulated: boolean;
  createdAt: string;
};

export type TelephonyStorage = {
  payloads: {
    bytes: number;
    mostBytes: number;
    /** Since midnight UTC */
    todayBytes: number;
    mostTodayBytes: number;
    /** Of further deliveries, only the facts are kept */
    isFull: boolean;
  };
  recordings: {
    bytes: number;
    mostBytes: number;
    /** Further recordings wait until there is room */
    isFull: boolean;
  };
};

export type Call = {
  id: string;
  provider: string;
  externalId: string;
  direction: 'inbound' | 'outbound';
  /** null if private or not reported */
  from: string | null;
  to: string | null;
  status: 'ringing' | 'in_progress' | 'ended';
  /** null until the call ends */
  outcome: 'answered' | 'missed' | 'abandoned' | 'voicemail' | 'busy' | 'rejected' | 'canceled' | 'failed' | 'unknown' | null;
  startedAt: string;
  answeredAt: string | null;
  endedAt: string | null;
  talkSeconds: number | null;
  /** For an unanswered call: when the team called back, the caller got through later, or someone marked it as returned */
  returnedAt: string | null;
  /** The caller's name, if the provider looks it up */
  fromName: string | null;
  /** Made by a simulation: it isn't a real call, and reports leave it out */
  demo: boolean;
  /** Who the call was with, if a CRM whose lookups are on has one contact with the number. Always null in events: the name is known only later */
  person: Person | null;
};

export type CallStep = {
  key: string;
  kind: string;
  at: string;
  timeFrom: 'provider' | 'received';
  legId: string | null;
  reason: string | null;
  talkSeconds: number | null;
  reachedHuman: boolean | null;
  raw: string | null;
};

export type RecordingOfCall = {
  id: string;
  state: string;
  startedAt: string | null;
  durationSeconds: number | null;
  transcript: Transcript;
};

export type CallDetails = {
  id: string;
  provider: string;
  externalId: string;
  direction: 'inbound' | 'outbound';
  /** null if private or not reported */
  from: string | null;
  to: string | null;
  status: 'ringing' | 'in_progress' | 'ended';
  /** null until the call ends */
  outcome: 'answered' | 'missed' | 'abandoned' | 'voicemail' | 'busy' | 'rejected' | 'canceled' | 'failed' | 'unknown' | null;
  startedAt: string;
  answeredAt: string | null;
  endedAt: string | null;
  talkSeconds: number | null;
  /** For an unanswered call: when the team called back, the caller got through later, or someone marked it as returned */
  returnedAt: string | null;
  /** The caller's name, if the provider looks it up */
  fromName: string | null;
  /** Made by a simulation: it isn't a real call, and reports leave it out */
  demo: boolean;
  /** Who the call was with, if a CRM whose lookups are on has one contact with the number. Always null in events: the name is known only later */
  person: Person | null;
  /** The keys of the events that decided the outcome */
  evidence: Array<string>;
  events: Array<CallStep>;
  /** What a restricted token may not see, so that it is left out here */
  withheld?: Array<'recordings'> | undefined;
  recordings: Array<RecordingOfCall>;
};

export type UnloggedCall = {
  id: string;
  url: string;
  /** `waiting`: it will be logged. `refused`: the provider refused it. `unclear`: it may be logged, and the provider cannot say */
  state: 'waiting' | 'refused' | 'unclear' | 'logged';
  problem: string | null;
  since: string;
};

export type CallLog = {
  calls: Array<UnloggedCall>;
  counts: {
    waiting: number;
    logged: number;
    refused: number;
    unclear: number;
  };
  nextCursor: string | null;
};

export type Recording = {
  id: string;
  /** null if its call is unknown */
  call: string | null;
  provider: string;
  externalId: string;
  state: 'announced' | 'waiting' | 'archived' | 'absent' | 'failed' | 'removed';
  /** Why it isn't archived, or not yet */
  problem: string | null;
  startedAt: string | null;
  durationSeconds: number | null;
  channels: number | null;
  contentType: string | null;
  bytes: number | null;
  /** Of the audio as fetched, in hexadecimal */
  sha256: string | null;
  /** The host it was fetched from */
  fetchedFrom: string | null;
  archivedAt: string | null;
  removedAt: string | null;
  removedAtProviderAt: string | null;
  /** The provider's own name for what made it */
  source: string | null;
  /** Made by a simulation: it isn't of a real call */
  demo: boolean;
  transcript: Transcript;
};

export type ReportRunRow = {
  team: string;
  week: string;
  state: 'created' | 'existing' | 'queued' | 'failed';
  reportId: string | null;
  /** How many recipients it was sent to or is on its way to */
  deliveries: number;
  /** The week ended before the team was created, so the report is sent to no one */
  predatesTeam: boolean;
};

export type ReportRun = {
  runId: string;
  created: number;
  existing: number;
  queued: number;
  failed: number;
  /** Teams that the run had not checked yet when it responded; they follow soon */
  remaining: number;
  /** Why there is nothing to report on */
  message: string | null;
  /** The first 100 */
  reports: Array<ReportRunRow>;
  tookMs: number;
};

export type ListedReport = {
  id: string;
  week: string;
  revision: number;
  timeZone: string;
  startsAt: string;
  endsAt: string;
  /** When the calls still waiting were counted */
  asOf: string;
  contentHash: string;
  createdAt: string;
  /** The week ended before the team was created, so the report is sent to no one */
  predatesTeam: boolean;
};

export type ReportedCaller = {
  callId: string;
  from: string | null;
  person: Person | null;
  at: string;
  outcome: string;
};

export type ReportedNumber = {
  number: string | null;
  label: string | null;
  calls: number;
  answered: number;
  missed: number;
};

export type ReportedIntegration = {
  provider: string;
  /** The connection's name */
  connection: string;
  /** The provider's name */
  name: string;
  status: string;
  reconnectBefore: string | null;
  problem: string | null;
  troubleSince: string | null;
  /** How many times in a row refreshing its token failed */
  refreshFailures: number;
};

export type ReportFigures = {
  calls: {
    inbound: {
      value: number;
      before: number | null;
    };
    outbound: {
      value: number;
      before: number | null;
    };
  };
  outcomes: {
    answered: {
      value: number;
      before: number | null;
    };
    missed: {
      value: number;
      before: number | null;
    };
    abandoned: {
      value: number;
      before: number | null;
    };
    voicemail: {
      value: number;
      before: number | null;
    };
    other: {
      value: number;
      before: number | null;
    };
  };
  missedPercent: number | null;
  secondsToAnswer: {
    median: number;
    p90: number;
  } | null;
  talkSeconds: {
    value: number;
    before: number | null;
  };
  /** Monday first; null for an hour that the clocks skipped */
  heat: Array<Array<number | null>>;
  missedByHours: {
    inside: number;
    outside: number;
  } | null;
  unreturned: {
    total: number;
    oldest: Array<ReportedCaller>;
  };
  callers: {
    firstTime: number;
    repeat: number;
    total: number;
  };
  numbers: Array<ReportedNumber>;
  recordings: {
    made: number;
    archived: number;
    failed: number;
  };
  integrations: Array<ReportedIntegration>;
  deliveriesRefused: number;
  quality: {
    withoutEnd: number;
    /** Calls with updates received over an hour after they ended */
    late: number;
  };
};

export type ReportDelivery = {
  channel: 'mail' | 'slack';
  state: 'queued' | 'sending' | 'sent' | 'unclear' | 'failed' | 'unsubscribed' | 'skipped';
  problem: string | null;
  sentAt: string | null;
  nextTryAt: string | null;
};

export type Report = {
  id: string;
  week: string;
  revision: number;
  timeZone: string;
  startsAt: string;
  endsAt: string;
  /** When the calls still waiting were counted */
  asOf: string;
  contentHash: string;
  createdAt: string;
  /** The week ended before the team was created, so the report is sent to no one */
  predatesTeam: boolean;
  figures: ReportFigures;
  /** The week has demo calls, which no figure counts */
  demoCallsLeftOut: boolean;
  /** One for each recipient. `unclear` means it may have arrived, and it is not sent again. `skipped` means there was no one to send it to; `problem` says why. */
  deliveries: Array<ReportDelivery>;
  evidence: Record<string, string>;
};

export type SlackAddress = {
  configured: boolean;
  host: string | null;
  setBy: {
    id: string;
    label: string;
  } | null;
  setAt: string | null;
};

export type SentEvent = ConnectionEvent | CallEvent | RecordingEvent | TranscriptEvent | ReportEvent | ApprovalEvent | ContainmentEvent | ProviderEvent | TestEvent | TeamEvent;

export type Operations = {
  /** Get the caller's team */
  'GET /api/team': {
    response: {
      team: Team;
    };
  };
  /** Change the team's settings */
  'PATCH /api/team': {
    body: {
      name?: string | undefined;
      timeZone?: string | undefined;
      /** `null`: not set */
      businessHours?: BusinessHours | null | undefined;
      /** `null`: the team's admins */
      reportRecipients?: Array<string> | null | undefined;
      /** When the weekly report is ready, in the team's time zone. It covers the last full week, from Monday to Sunday. */
      reportSchedule?: {
        day: 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';
        hour: number;
      } | undefined;
      retention?: {
        /** `null`: keep forever */
        recordingDays: number | null;
        payloadDays: number;
      } | undefined;
    };
    response: {
      team: Team;
    };
  };
  /** List the team's members */
  'GET /api/members': {
    query?: {
      /** At most this many. A page of very large entries has fewer, so read on until `nextCursor` is null */
      limit?: number | undefined;
      /** `nextCursor` from the previous page */
      cursor?: string | undefined;
    } | undefined;
    response: {
      members: Array<Member>;
      /** `cursor` for the next page; null if there are no more */
      nextCursor: string | null;
    };
  };
  /** Invite a member by link */
  'POST /api/members': {
    body: {
      email: string;
      name?: string | null | undefined;
      /** Default: `member`, or their current role if they were invited before */
      role?: 'admin' | 'member' | undefined;
    };
    response: Invitation;
  };
  /** Change a member's role or name */
  'PATCH /api/members/{id}': {
    body: {
      name?: string | null | undefined;
      role?: 'admin' | 'member' | undefined;
    };
    response: {
      member: Member;
    };
  };
  /** Remove a member */
  'DELETE /api/members/{id}': {
    response: undefined;
  };
  /** List your own access tokens, or the whole team's if you're an admin */
  'GET /api/tokens': {
    query?: {
      /** At most this many. A page of very large entries has fewer, so read on until `nextCursor` is null */
      limit?: number | undefined;
      /** `nextCursor` from the previous page */
      cursor?: string | undefined;
    } | undefined;
    response: {
      tokens: Array<AccessToken>;
      /** `cursor` for the next page; null if there are no more */
      nextCursor: string | null;
    };
  };
  /** Create an access token for yourself */
  'POST /api/tokens': {
    body: {
      name: string;
      expiresInDays?: number | undefined;
      expiresInMinutes?: number | undefined;
      /** Restricts the token. `status`: the team's name, its integrations and their status, and the list of providers. `connect`: start to connect an account, which never replaces another one. `calls`: calls, without recordings. `recordings`: recordings, and what was said in them. `reports`: weekly reports. `events`: the log of events, with callers' numbers, details of recordings, and what happened at the accounts that the token can use, but not what other tokens ask for */
      can?: Array<'status' | 'connect' | 'calls' | 'recordings' | 'reports' | 'events'> | undefined;
      /** Restricts the token. What it can send through the proxy. Only an admin can give this */
      allow?: Array<RequestsToAllow> | undefined;
      /** What becomes of a request to a connection and host in `allow` whose method or path isn't in it. `ask`: it waits until an admin approves or refuses it. Default: `refuse` */
      writes?: 'refuse' | 'ask' | undefined;
      /** With `ask`: how long a request waits. Default: 10 */
      approvalMinutes?: number | undefined;
      /** Where connects end that are begun with the token. Only the operator's product can give this */
      returnTo?: string | undefined;
    };
    response: NewAccessToken;
  };
  /** Revoke your own access token, or any of the team's if you're an admin */
  'DELETE /api/tokens/{id}': {
    response: undefined;
  };
  /** List your own sessions */
  'GET /api/sessions': {
    query?: {
      /** At most this many. A page of very large entries has fewer, so read on until `nextCursor` is null */
      limit?: number | undefined;
      /** `nextCursor` from the previous page */
      cursor?: string | undefined;
    } | undefined;
    response: {
      sessions: Array<Session>;
      /** `cursor` for the next page; null if there are no more */
      nextCursor: string | null;
    };
  };
  /** End one of your own sessions */
  'DELETE /api/sessions/{id}': {
    response: undefined;
  };
  /** List who changed what in the team, newest first */
  'GET /api/audit': {
    query?: {
      /** At most this many; 50 if left out. A page can have fewer, so read on until `nextCursor` is null */
      limit?: number | undefined;
      /** `nextCursor` from the previous page */
      cursor?: string | undefined;
      /** The `id` of an actor, or `operator`, `command_line`, `service` for what it did, for whomever */
      who?: string | undefined;
      /** An action, such as `token.create` */
      what?: string | undefined;
      /** The earliest time */
      since?: string | undefined;
      /** The end, not included */
      until?: string | undefined;
    } | undefined;
    response: {
      events: Array<AuditEntry>;
      /** `cursor` for the next page; null if there are no more */
      nextCursor: string | null;
    };
  };
  /** Create, change, or restore a customer's user */
  'PUT /api/operator/teams/{key}/users/{userKey}': {
    body?: {
      name?: string | null | undefined;
      email?: string | null | undefined;
    } | undefined;
    response: CustomerUser;
  };
  /** Remove a customer's user */
  'DELETE /api/operator/teams/{key}/users/{userKey}': {
    response: undefined;
  };
  /** Create a team for a customer, or change it */
  'PUT /api/operator/teams/{key}': {
    body: {
      name: string;
      timeZone?: string | undefined;
    };
    response: Customer;
  };
  /** Get a customer's team */
  'GET /api/operator/teams/{key}': {
    response: CustomerDetails;
  };
  /** Delete a customer's team and everything that belongs to it */
  'DELETE /api/operator/teams/{key}': {
    response: {
      key: string;
      state: 'erasing';
    };
  };
  /** List the teams of your customers */
  'GET /api/operator/teams': {
    query?: {
      /** At most this many. A page of very large entries has fewer, so read on until `nextCursor` is null */
      limit?: number | undefined;
      /** `nextCursor` from the previous page */
      cursor?: string | undefined;
    } | undefined;
    response: {
      teams: Array<Customer>;
      /** `cursor` for the next page; null if there are no more */
      nextCursor: string | null;
    };
  };
  /** Create a connect session for a customer's user */
  'POST /api/operator/teams/{key}/sessions': {
    body: {
      /** Created on first use */
      user: {
        /** Your product's own id: 1 to 200 printable ASCII characters without spaces, percent-encoded in paths */
        key: string;
        name?: string | undefined;
        /** Only a label. Nobody signs in with it. */
        email?: string | undefined;
      };
      /** Default: all */
      providers?: Array<string> | undefined;
      expiresInSeconds?: number | undefined;
      /** Where the hosted page leads when the user is done */
      returnTo?: string | undefined;
    };
    response: ConnectSession;
  };
  /** End a user's connect sessions */
  'DELETE /api/operator/teams/{key}/sessions': {
    query: {
      /** Your product's own id: 1 to 200 printable ASCII characters without spaces, percent-encoded in paths */
      user: string;
    };
    response: undefined;
  };
  /** List what happened */
  'GET /api/events': {
    query?: {
      /** The id of an event, or `nextCursor` from the last response. Default: start with the oldest */
      after?: string | undefined;
      /** A type, a group, `*` for all but the events at connected accounts, or one provider's events, like `provider.event:github` or `provider.event:github/issues` */
      type?: '*' | 'connection.*' | 'call.*' | 'recording.*' | 'transcript.*' | 'report.*' | 'approval.*' | 'containment.*' | 'connection.connected' | 'connection.reconnected' | 'connection.degraded' | 'connection.recovered' | 'connection.needs_reconnect' | 'connection.disconnected' | 'call.started' | 'call.ended' | 'call.missed' | 'call.voicemail' | 'call.returned' | 'call.reopened' | 'recording.ready' | 'recording.failed' | 'transcript.ready' | 'report.ready' | 'approval.requested' | 'approval.decided' | 'containment.started' | 'containment.finished' | 'containment.lifted' | 'provider.event' | 'test' | string | undefined;
      limit?: number | undefined;
    } | undefined;
    response: {
      events: Array<LoggedEvent>;
      /** `after` for what comes next, also if nothing has happened yet */
      nextCursor: string;
    };
  };
  /** List what happened in the teams of your customers */
  'GET /api/operator/events': {
    query?: {
      /** The id of an event, or `nextCursor` from the last response. Default: start with the oldest */
      after?: string | undefined;
      /** A type, a group, `*` for all but the events at connected accounts, or one provider's events, like `provider.event:github` or `provider.event:github/issues` */
      type?: '*' | 'connection.*' | 'call.*' | 'recording.*' | 'transcript.*' | 'report.*' | 'approval.*' | 'containment.*' | 'team.*' | 'connection.connected' | 'connection.reconnected' | 'connection.degraded' | 'connection.recovered' | 'connection.needs_reconnect' | 'connection.disconnected' | 'call.started' | 'call.ended' | 'call.missed' | 'call.voicemail' | 'call.returned' | 'call.reopened' | 'recording.ready' | 'recording.failed' | 'transcript.ready' | 'report.ready' | 'approval.requested' | 'approval.decided' | 'containment.started' | 'containment.finished' | 'containment.lifted' | 'provider.event' | 'team.erased' | 'test' | 'provider.unmatched' | string | undefined;
      limit?: number | undefined;
    } | undefined;
    response: {
      events: Array<LoggedEvent>;
      /** `after` for what comes next, also if nothing has happened yet */
      nextCursor: string;
    };
  };
  /** Download the payload of an event that was too large to be in its data */
  'GET /api/events/{id}/payload': {
    response: unknown;
  };
  /** Download the payload of an event that was too large to be in its data */
  'GET /api/operator/events/{id}/payload': {
    response: unknown;
  };
  /** Show open alerts, and what people are told */
  'GET /api/events/alerts': {
    response: Alerts;
  };
  /** Turn alerts on or off */
  'PUT /api/events/alerts': {
    body: {
      settings: WishedAlertSettings;
    };
    response: Alerts;
  };
  /** Dismiss an open alert */
  'POST /api/events/alerts/{id}/dismiss': {
    response: undefined;
  };
  /** List where events are sent */
  'GET /api/events/endpoints': {
    response: {
      endpoints: Array<Endpoint>;
    };
  };
  /** Send events to an address */
  'POST /api/events/endpoints': {
    body: {
      url: string;
      /** Of the events at connected accounts, `*` includes none */
      types?: Array<'*' | 'connection.*' | 'call.*' | 'recording.*' | 'transcript.*' | 'report.*' | 'approval.*' | 'containment.*' | 'connection.connected' | 'connection.reconnected' | 'connection.degraded' | 'connection.recovered' | 'connection.needs_reconnect' | 'connection.disconnected' | 'call.started' | 'call.ended' | 'call.missed' | 'call.voicemail' | 'call.returned' | 'call.reopened' | 'recording.ready' | 'recording.failed' | 'transcript.ready' | 'report.ready' | 'approval.requested' | 'approval.decided' | 'containment.started' | 'containment.finished' | 'containment.lifted' | 'provider.event' | string> | undefined;
      description?: string | undefined;
    };
    response: NewEndpoint;
  };
  /** Show an endpoint */
  'GET /api/events/endpoints/{id}': {
    response: Endpoint;
  };
  /** Change an endpoint, or turn it on or off */
  'PATCH /api/events/endpoints/{id}': {
    body: {
      url?: string | undefined;
      /** Of the events at connected accounts, `*` includes none */
      types?: Array<'*' | 'connection.*' | 'call.*' | 'recording.*' | 'transcript.*' | 'report.*' | 'approval.*' | 'containment.*' | 'connection.connected' | 'connection.reconnected' | 'connection.degraded' | 'connection.recovered' | 'connection.needs_reconnect' | 'connection.disconnected' | 'call.started' | 'call.ended' | 'call.missed' | 'call.voicemail' | 'call.returned' | 'call.reopened' | 'recording.ready' | 'recording.failed' | 'transcript.ready' | 'report.ready' | 'approval.requested' | 'approval.decided' | 'containment.started' | 'containment.finished' | 'containment.lifted' | 'provider.event' | string> | undefined;
      description?: string | undefined;
      active?: boolean | undefined;
    };
    response: Endpoint;
  };
  /** Delete an endpoint */
  'DELETE /api/events/endpoints/{id}': {
    response: undefined;
  };
  /** Send a test event to an endpoint */
  'POST /api/events/endpoints/{id}/test': {
    response: EndpointTest;
  };
  /** Add a new secret to an endpoint */
  'POST /api/events/endpoints/{id}/rotate': {
    response: {
      secret: string;
      oldSecretUntil: string;
    };
  };
  /** Send what happened in a period again */
  'POST /api/events/endpoints/{id}/replay': {
    body: {
      since: string;
      until?: string | undefined;
    };
    response: {
      replaying: boolean;
    };
  };
  /** Show an event, and every attempt to send it */
  'GET /api/events/{id}': {
    response: EventWithAttempts;
  };
  /** Send an event again */
  'POST /api/events/{id}/resend': {
    response: {
      endpoints: number;
    };
  };
  /** List where events of your customers are sent */
  'GET /api/operator/events/endpoints': {
    response: {
      endpoints: Array<Endpoint>;
    };
  };
  /** Send events of your customers to an address */
  'POST /api/operator/events/endpoints': {
    body: {
      url: string;
      /** Of the events at connected accounts, `*` includes none */
      types?: Array<'*' | 'connection.*' | 'call.*' | 'recording.*' | 'transcript.*' | 'report.*' | 'approval.*' | 'containment.*' | 'team.*' | 'connection.connected' | 'connection.reconnected' | 'connection.degraded' | 'connection.recovered' | 'connection.needs_reconnect' | 'connection.disconnected' | 'call.started' | 'call.ended' | 'call.missed' | 'call.voicemail' | 'call.returned' | 'call.reopened' | 'recording.ready' | 'recording.failed' | 'transcript.ready' | 'report.ready' | 'approval.requested' | 'approval.decided' | 'containment.started' | 'containment.finished' | 'containment.lifted' | 'provider.event' | 'team.erased' | string> | undefined;
      description?: string | undefined;
    };
    response: NewEndpoint;
  };
  /** Show an endpoint */
  'GET /api/operator/events/endpoints/{id}': {
    response: Endpoint;
  };
  /** Change an endpoint, or turn it on or off */
  'PATCH /api/operator/events/endpoints/{id}': {
    body: {
      url?: string | undefined;
      /** Of the events at connected accounts, `*` includes none */
      types?: Array<'*' | 'connection.*' | 'call.*' | 'recording.*' | 'transcript.*' | 'report.*' | 'approval.*' | 'containment.*' | 'team.*' | 'connection.connected' | 'connection.reconnected' | 'connection.degraded' | 'connection.recovered' | 'connection.needs_reconnect' | 'connection.disconnected' | 'call.started' | 'call.ended' | 'call.missed' | 'call.voicemail' | 'call.returned' | 'call.reopened' | 'recording.ready' | 'recording.failed' | 'transcript.ready' | 'report.ready' | 'approval.requested' | 'approval.decided' | 'containment.started' | 'containment.finished' | 'containment.lifted' | 'provider.event' | 'team.erased' | string> | undefined;
      description?: string | undefined;
      active?: boolean | undefined;
    };
    response: Endpoint;
  };
  /** Delete an endpoint */
  'DELETE /api/operator/events/endpoints/{id}': {
    response: undefined;
  };
  /** Send a test event to an endpoint */
  'POST /api/operator/events/endpoints/{id}/test': {
    response: EndpointTest;
  };
  /** Add a new secret to an endpoint */
  'POST /api/operator/events/endpoints/{id}/rotate': {
    response: {
      secret: string;
      oldSecretUntil: string;
    };
  };
  /** Send what happened in a period again */
  'POST /api/operator/events/endpoints/{id}/replay': {
    body: {
      since: string;
      until?: string | undefined;
    };
    response: {
      replaying: boolean;
    };
  };
  /** Show an event, and every attempt to send it */
  'GET /api/operator/events/{id}': {
    response: EventWithAttempts;
  };
  /** Send an event again */
  'POST /api/operator/events/{id}/resend': {
    response: {
      endpoints: number;
    };
  };
  /** Start connecting a provider */
  'POST /api/integrations/{provider}/connect': {
    body?: {
      scopes?: Array<string> | undefined;
      returnTo?: string | undefined;
      params?: Record<string, string> | undefined;
      /** 1 to 40 lowercase letters, digits, `-`, and `_`, starting with a letter or a digit */
      connection?: string | undefined;
      /** `false`: if another account is connected under this name, or one that may be another because the provider names none, it stays, and the outcome is `integrations.name_taken` */
      replace?: boolean | undefined;
    } | undefined;
    response: BegunConnect;
  };
  /** Receive the provider's response */
  'GET /api/integrations/{provider}/callback': {
    response: Connected | {
      provider: string;
      outcome: 'confirm';
      attempt: string;
    };
  };
  /** Finish a parked attempt */
  'POST /api/integrations/{provider}/complete': {
    body: {
      /** As the callback returned it */
      attempt: string;
    };
    response: Connected;
  };
  /** List the team's integrations */
  'GET /api/integrations/status': {
    response: {
      team: {
        id: string;
        name: string;
      };
      integrations: Array<Integration>;
    };
  };
  /** Disconnect a provider */
  'POST /api/integrations/{provider}/disconnect': {
    query?: {
      /** 1 to 40 lowercase letters, digits, `-`, and `_`, starting with a letter or a digit */
      connection?: string | undefined;
    } | undefined;
    body?: {
      /** 1 to 40 lowercase letters, digits, `-`, and `_`, starting with a letter or a digit */
      connection?: string | undefined;
    } | undefined;
    response: Disconnected;
  };
  /** Get an access token */
  'POST /api/integrations/{provider}/token': {
    query?: {
      /** 1 to 40 lowercase letters, digits, `-`, and `_`, starting with a letter or a digit */
      connection?: string | undefined;
    } | undefined;
    body?: {
      /** 1 to 40 lowercase letters, digits, `-`, and `_`, starting with a letter or a digit */
      connection?: string | undefined;
    } | undefined;
    response: ProviderToken;
  };
  /** List the provider catalog */
  'GET /api/integrations/providers': {
    query?: {
      /** Only those with these words in their name, ID, category or aliases, the best first */
      q?: string | undefined;
      /** At most this many. Default: all, or 100 on later pages */
      limit?: number | undefined;
      /** `nextCursor` from the previous page */
      cursor?: string | undefined;
    } | undefined;
    response: {
      providers: Array<Provider>;
      /** `cursor` for the next page; null if there are no more */
      nextCursor: string | null;
    };
  };
  /** Set the team's own OAuth app */
  'PUT /api/integrations/{provider}/credentials': {
    body: {
      /** Printable ASCII characters */
      clientId: string;
      /** `null` for a public client, and for one with a private key */
      clientSecret: string | null;
      /** Instead of a secret, if the provider accepts `private_key_jwt`: as PEM or JWK. Never returned */
      privateKey?: string | null | undefined;
      /** The key's ID at the provider (`kid`), if it has several keys */
      keyId?: string | null | undefined;
      /** What else the OAuth app has, if the provider lists `clientFields`. Never returned */
      fields?: Record<string, string> | undefined;
      params?: Record<string, string> | undefined;
      /** What connecting requests, instead of the provider's defaults */
      scopes?: Array<string> | null | undefined;
    };
    response: {
      provider: string;
      clientId: string;
      scopes: Array<string> | null;
    };
  };
  /** Remove the team's own OAuth app */
  'DELETE /api/integrations/{provider}/credentials': {
    response: undefined;
  };
  /** List the sites that a consent covers */
  'GET /api/integrations/{provider}/sites': {
    query?: {
      /** 1 to 40 lowercase letters, digits, `-`, and `_`, starting with a letter or a digit */
      connection?: string | undefined;
    } | undefined;
    response: ConnectionSites;
  };
  /** Choose a site */
  'PUT /api/integrations/{provider}/site': {
    query?: {
      /** 1 to 40 lowercase letters, digits, `-`, and `_`, starting with a letter or a digit */
      connection?: string | undefined;
    } | undefined;
    body: {
      /** The ID of one that the provider lists */
      site: string;
      /** 1 to 40 lowercase letters, digits, `-`, and `_`, starting with a letter or a digit */
      connection?: string | undefined;
    };
    response: Integration;
  };
  /** Connect a provider with a key */
  'PUT /api/integrations/{provider}/key': {
    body: {
      /** As the provider lists them in `fields` */
      fields: Record<string, string>;
      params?: Record<string, string> | undefined;
      /** 1 to 40 lowercase letters, digits, `-`, and `_`, starting with a letter or a digit */
      connection?: string | undefined;
    };
    response: Integration;
  };
  /** Show the team's address for a provider's webhooks */
  'GET /api/integrations/{provider}/webhook': {
    response: WebhookAddress;
  };
  /** Make the team's address for a provider's webhooks, or add a secret */
  'PUT /api/integrations/{provider}/webhook': {
    body: {
      /** Never returned */
      secret?: string | undefined;
    };
    response: WebhookAddress;
  };
  /** End the team's address for a provider's webhooks */
  'DELETE /api/integrations/{provider}/webhook': {
    response: undefined;
  };
  /** Remove a secret of the team's address */
  'DELETE /api/integrations/{provider}/webhook/secrets/{id}': {
    response: undefined;
  };
  /** Make a new address instead of the old one */
  'POST /api/integrations/{provider}/webhook/rotate': {
    response: WebhookAddress;
  };
  /** List every use of a credential */
  'GET /api/integrations/requests': {
    query?: {
      /** At most this many. A page of very large entries has fewer, so read on until `nextCursor` is null */
      limit?: number | undefined;
      /** `nextCursor` from the previous page */
      cursor?: string | undefined;
      provider?: string | undefined;
      /** 1 to 40 lowercase letters, digits, `-`, and `_`, starting with a letter or a digit */
      connection?: string | undefined;
      /** An access token's ID */
      token?: string | undefined;
      /** Only what failed */
      failed?: '1' | undefined;
      since?: string | undefined;
      until?: string | undefined;
    } | undefined;
    response: {
      requests: Array<UsedCredential>;
      /** `cursor` for the next page; null if there are no more */
      nextCursor: string | null;
    };
  };
  /** List requests that have to be approved, or were */
  'GET /api/approvals': {
    query?: {
      /** At most this many. A page of very large entries has fewer, so read on until `nextCursor` is null */
      limit?: number | undefined;
      /** `nextCursor` from the previous page */
      cursor?: string | undefined;
      state?: 'waiting' | undefined;
    } | undefined;
    response: {
      approvals: Array<Approval>;
      /** `cursor` for the next page; null if there are no more */
      nextCursor: string | null;
    };
  };
  /** Get a request that has to be approved, or was */
  'GET /api/approvals/{id}': {
    response: ApprovalDetails;
  };
  /** Approve a request, and send it */
  'POST /api/approvals/{id}/approve': {
    body?: Record<string, never> | undefined;
    response: ApprovalDetails;
  };
  /** Refuse a request */
  'POST /api/approvals/{id}/refuse': {
    body?: Record<string, never> | undefined;
    response: ApprovalDetails;
  };
  /** Get the response to an approved request */
  'GET /api/approvals/{id}/response': {
    response: unknown;
  };
  /** Stop what may have leaked, among your team's connections and access tokens */
  'POST /api/containments': {
    body: NewContainment;
    response: ContainmentForecast | ContainmentDetails;
  };
  /** List your team's containments, and what the operator stopped in your team alone, newest first */
  'GET /api/containments': {
    query?: {
      /** At most this many. A page of very large entries has fewer, so read on until `nextCursor` is null */
      limit?: number | undefined;
      /** `nextCursor` from the previous page */
      cursor?: string | undefined;
    } | undefined;
    response: {
      containments: Array<Containment>;
      /** `cursor` for the next page; null if there are no more */
      nextCursor: string | null;
    };
  };
  /** Get one of your team's containments, and what became of each connection */
  'GET /api/containments/{id}': {
    query?: {
      /** At most this many. A page of very large entries has fewer, so read on until `nextCursor` is null */
      limit?: number | undefined;
      /** `nextCursor` from the previous page */
      cursor?: string | undefined;
    } | undefined;
    response: ContainmentDetails;
  };
  /** Lift one of your team's containments */
  'DELETE /api/containments/{id}': {
    response: ContainmentDetails;
  };
  /** Stop what may have leaked, among all teams' connections and access tokens */
  'POST /api/operator/containments': {
    body: NewOperatorContainment;
    response: ContainmentForecast | ContainmentDetails;
  };
  /** List containments that the operator began, newest first */
  'GET /api/operator/containments': {
    query?: {
      /** At most this many. A page of very large entries has fewer, so read on until `nextCursor` is null */
      limit?: number | undefined;
      /** `nextCursor` from the previous page */
      cursor?: string | undefined;
    } | undefined;
    response: {
      containments: Array<Containment>;
      /** `cursor` for the next page; null if there are no more */
      nextCursor: string | null;
    };
  };
  /** Get a containment that the operator began, and what became of each connection */
  'GET /api/operator/containments/{id}': {
    query?: {
      /** At most this many. A page of very large entries has fewer, so read on until `nextCursor` is null */
      limit?: number | undefined;
      /** `nextCursor` from the previous page */
      cursor?: string | undefined;
    } | undefined;
    response: ContainmentDetails;
  };
  /** Lift a containment that the operator began */
  'DELETE /api/operator/containments/{id}': {
    response: ContainmentDetails;
  };
  /** Show whether callers are looked up, and calls logged, with a connection */
  'GET /api/integrations/{provider}/people': {
    query?: {
      /** 1 to 40 lowercase letters, digits, `-`, and `_`, starting with a letter or a digit */
      connection?: string | undefined;
    } | undefined;
    response: PeopleState;
  };
  /** Turn on or off that callers are looked up, and calls logged, with a connection */
  'PATCH /api/integrations/{provider}/people': {
    body: {
      lookup?: boolean | undefined;
      log?: boolean | undefined;
      /** 1 to 40 lowercase letters, digits, `-`, and `_`, starting with a letter or a digit */
      connection?: string | undefined;
    };
    response: PeopleState;
  };
  /** Call a provider's API */
  'GET /api/integrations/{provider}/proxy/{path}': {
    query?: {
      /** 1 to 40 lowercase letters, digits, `-`, and `_`, starting with a letter or a digit */
      connection?: string | undefined;
      /** Names a host like the header `Patchbay-Host`, and goes before it. Empty for the API's own address */
      'patchbay-host'?: string | undefined;
    } | undefined;
    response: unknown;
  };
  /** Call a provider's API */
  'HEAD /api/integrations/{provider}/proxy/{path}': {
    query?: {
      /** 1 to 40 lowercase letters, digits, `-`, and `_`, starting with a letter or a digit */
      connection?: string | undefined;
      /** Names a host like the header `Patchbay-Host`, and goes before it. Empty for the API's own address */
      'patchbay-host'?: string | undefined;
    } | undefined;
    response: unknown;
  };
  /** Call a provider's API */
  'POST /api/integrations/{provider}/proxy/{path}': {
    query?: {
      /** 1 to 40 lowercase letters, digits, `-`, and `_`, starting with a letter or a digit */
      connection?: string | undefined;
      /** Names a host like the header `Patchbay-Host`, and goes before it. Empty for the API's own address */
      'patchbay-host'?: string | undefined;
    } | undefined;
    response: unknown;
  };
  /** Call a provider's API */
  'PUT /api/integrations/{provider}/proxy/{path}': {
    query?: {
      /** 1 to 40 lowercase letters, digits, `-`, and `_`, starting with a letter or a digit */
      connection?: string | undefined;
      /** Names a host like the header `Patchbay-Host`, and goes before it. Empty for the API's own address */
      'patchbay-host'?: string | undefined;
    } | undefined;
    response: unknown;
  };
  /** Call a provider's API */
  'PATCH /api/integrations/{provider}/proxy/{path}': {
    query?: {
      /** 1 to 40 lowercase letters, digits, `-`, and `_`, starting with a letter or a digit */
      connection?: string | undefined;
      /** Names a host like the header `Patchbay-Host`, and goes before it. Empty for the API's own address */
      'patchbay-host'?: string | undefined;
    } | undefined;
    response: unknown;
  };
  /** Call a provider's API */
  'DELETE /api/integrations/{provider}/proxy/{path}': {
    query?: {
      /** 1 to 40 lowercase letters, digits, `-`, and `_`, starting with a letter or a digit */
      connection?: string | undefined;
      /** Names a host like the header `Patchbay-Host`, and goes before it. Empty for the API's own address */
      'patchbay-host'?: string | undefined;
    } | undefined;
    response: unknown;
  };
  /** List the team's telephony accounts */
  'GET /api/telephony/accounts': {
    query?: {
      /** At most this many. A page of very large entries has fewer, so read on until `nextCursor` is null */
      limit?: number | undefined;
      /** `nextCursor` from the previous page */
      cursor?: string | undefined;
    } | undefined;
    response: {
      accounts: Array<TelephonyAccount>;
      /** `cursor` for the next page; null if there are no more */
      nextCursor: string | null;
    };
  };
  /** Add a telephony account */
  'POST /api/telephony/accounts': {
    body: {
      provider: string;
      /** The provider's ID for the account */
      accountId?: string | null | undefined;
      /** Any one of them can verify a delivery */
      secrets: Array<string>;
      /** Credentials for fetching recordings, if they differ from the secret */
      api?: Record<string, string> | undefined;
      mode?: 'enforce' | 'observe' | undefined;
      /** Delete recordings at the provider once they are archived here */
      removesArchived?: boolean | undefined;
    };
    response: TelephonyAccount;
  };
  /** Get a telephony account */
  'GET /api/telephony/accounts/{id}': {
    response: TelephonyAccount;
  };
  /** Change a telephony account */
  'PATCH /api/telephony/accounts/{id}': {
    body: {
      /** The provider's ID for the account */
      accountId?: string | null | undefined;
      /** Any one of them can verify a delivery */
      secrets?: Array<string> | undefined;
      /** Credentials for fetching recordings, if they differ from the secret */
      api?: Record<string, string> | undefined;
      mode?: 'enforce' | 'observe' | undefined;
      /** Delete recordings at the provider once they are archived here */
      removesArchived?: boolean | undefined;
      addSecret?: string | undefined;
      removeSecret?: string | undefined;
    };
    response: TelephonyAccount;
  };
  /** Remove a telephony account and its numbers */
  'DELETE /api/telephony/accounts/{id}': {
    response: undefined;
  };
  /** Erase everything about a phone number */
  'POST /api/telephony/erase': {
    body: {
      number: string;
    };
    response: {
      calls: number;
      recordings: number;
      held: number;
    };
  };
  /** Verify held deliveries again and release those that pass */
  'POST /api/telephony/accounts/{id}/release': {
    response: {
      released: number;
      held: number;
    };
  };
  /** List the team's numbers and how each is answered */
  'GET /api/telephony/numbers': {
    query?: {
      /** At most this many. A page of very large entries has fewer, so read on until `nextCursor` is null */
      limit?: number | undefined;
      /** `nextCursor` from the previous page */
      cursor?: string | undefined;
    } | undefined;
    response: {
      numbers: Array<PhoneNumber>;
      /** `cursor` for the next page; null if there are no more */
      nextCursor: string | null;
    };
  };
  /** Add a number */
  'POST /api/telephony/numbers': {
    body: {
      /** With a country code, like +15551230001 */
      number: string;
      label?: string | null | undefined;
      /** The telephony account's ID in Patchbay */
      account: string;
      answer?: Answer | undefined;
    };
    response: PhoneNumber;
  };
  /** Get a number */
  'GET /api/telephony/numbers/{id}': {
    response: PhoneNumber;
  };
  /** Change a number */
  'PATCH /api/telephony/numbers/{id}': {
    body: {
      /** With a country code, like +15551230001 */
      number?: string | undefined;
      label?: string | null | undefined;
      /** The telephony account's ID in Patchbay */
      account?: string | undefined;
      answer?: Answer | undefined;
    };
    response: PhoneNumber;
  };
  /** Remove a number */
  'DELETE /api/telephony/numbers/{id}': {
    response: undefined;
  };
  /** Get how much the team stores */
  'GET /api/telephony/storage': {
    response: TelephonyStorage;
  };
  /** List the team's calls, newest first */
  'GET /api/calls': {
    query?: {
      limit?: number | undefined;
      cursor?: string | undefined;
      /** Part of the other party's number or name, of the label of your number, or of what was said in a recording with a transcript. Looks through at most 100,000 calls at a time, so a page can be empty even if `nextCursor` leads to more */
      search?: string | undefined;
      /** Calls from this number */
      from?: string | undefined;
      /** Calls to this number */
      to?: string | undefined;
      direction?: 'inbound' | 'outbound' | undefined;
      outcome?: 'answered' | 'missed' | 'abandoned' | 'voicemail' | 'busy' | 'rejected' | 'canceled' | 'failed' | 'unknown' | undefined;
      /** true for unanswered calls that nobody has returned yet */
      waiting?: boolean | undefined;
      since?: string | undefined;
      until?: string | undefined;
    } | undefined;
    response: {
      calls: Array<Call>;
      nextCursor: string | null;
    };
  };
  /** Get a call with everything that happened to it */
  'GET /api/calls/{id}': {
    response: CallDetails;
  };
  /** Mark an unanswered call as returned */
  'POST /api/calls/{id}/returned': {
    response: Call;
  };
  /** Take back that a call was marked as returned */
  'DELETE /api/calls/{id}/returned': {
    response: Call;
  };
  /** Mark several unanswered calls as returned */
  'POST /api/calls/returned': {
    body: {
      ids: Array<string>;
      /** true to also mark what the same callers tried before these calls */
      allAttempts?: boolean | undefined;
    };
    response: {
      calls: Array<Call>;
    };
  };
  /** List calls that aren't logged at a provider, oldest first */
  'GET /api/integrations/{provider}/people/calls': {
    query?: {
      /** Its name. Without it, `default` or the only one */
      connection?: string | undefined;
      limit?: number | undefined;
      cursor?: string | undefined;
    } | undefined;
    response: CallLog;
  };
  /** Try again to log a call */
  'POST /api/integrations/{provider}/people/calls/{id}/retry': {
    body?: {
      /** Its name. Without it, `default` or the only one */
      connection?: string | undefined;
    } | undefined;
    response: undefined;
  };
  /** Get a recording */
  'GET /api/recordings/{id}': {
    response: {
      recording: Recording;
    };
  };
  /** List the team's weekly reports, newest first */
  'GET /api/reports': {
    query?: {
      /** At most this many. A page of very large entries has fewer, so read on until `nextCursor` is null */
      limit?: number | undefined;
      /** `nextCursor` from the previous page */
      cursor?: string | undefined;
    } | undefined;
    response: {
      reports: Array<ListedReport>;
      /** `cursor` for the next page; null if there are no more */
      nextCursor: string | null;
    };
  };
  /** Get one week's figures, with links to the rows behind them */
  'GET /api/reports/{week}': {
    response: Report;
  };
  /** Show where the report is posted in Slack */
  'GET /api/reports/slack': {
    response: SlackAddress;
  };
  /** Post the weekly report to Slack */
  'PUT /api/reports/slack': {
    body: {
      url: string;
    };
    response: SlackAddress;
  };
  /** Stop posting reports to Slack */
  'DELETE /api/reports/slack': {
    response: undefined;
  };
  /** Send a test message to Slack */
  'POST /api/reports/slack/test': {
    response: {
      delivered: true;
    };
  };
};
