/**
 * Several providers share one language: form parameters in PascalCase come in, an XML document of verbs goes out. This
 * is what differs between them.
 */
export type Dialect = {
  /** The headers that may carry the signature, in lower case; the first is its own. */
  signatureHeaders: readonly [string, ...string[]];
  /** What ids look like, by parameter. They leave a captured signature no second reading: see `fitsGrammar`. */
  ids: Readonly<Record<'CallSid' | 'ParentCallSid' | 'DialCallSid' | 'AccountSid' | 'RecordingSid', RegExp>>;
  /** Made of 32 hex digits, for calls that are made up. */
  toCallSid(hex: string): string;
  toRecordingSid(hex: string): string;
};
