/** Who could have had what a connection gives access to, and how. */
export type Exposed = {
  how: string;
  byKind: string;
  byId: string | null;
  tokenId: string | null;
  tokenName: string | null;
  first: number;
  last: number;
  count: number;
};
