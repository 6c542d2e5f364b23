/** The requests that we send, as described in the OpenAPI document. The keys and values are OpenAPI's. */
export type DescribedRequests = {
  webhooks: Readonly<Record<string, object>>;
  /** The schemas that `webhooks` refers to, for `#/components`. */
  schemas: Readonly<Record<string, object>>;
  parameters: Readonly<Record<string, object>>;
};
