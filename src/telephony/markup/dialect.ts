/**
 * Several providers share one language: form parameters in PascalCase come in, an XML document of verbs goes out. This
 * is what differs between them.
 */
export type Dialect = {
  /** The headers that may carry the signature, in lower case; the first is its own. */
  signatureHeaders: readonly [string, ...string[]];
  /**
   * The format of ids, by parameter. It keeps a captured signature from being read in a second way: see `fitsGrammar`.
   */
  ids: Readonly<Record<'CallSid' | 'ParentCallSid' | 'DialCallSid' | 'AccountSid' | 'RecordingSid', RegExp>>;
  /** Makes an id from 32 hex digits, for simulated calls. */
  toCallSid(hex: string): string;
  toRecordingSid(hex: string): string;
};
