/** Requests that we send, for the API's description. The keys and values are OpenAPI's. */
export type DescribedRequests = {
  webhooks: Readonly<Record<string, object>>;
  /** What they refer to, in `#/components`. */
  schemas: Readonly<Record<string, object>>;
  parameters: Readonly<Record<string, object>>;
};
