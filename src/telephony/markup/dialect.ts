/**
 * Several providers share one language: form parameters in PascalCase come in, an XML document of verbs goes out. This
 * is what differs between them.
 */
export type Dialect = {
  /** The headers that may carry the signature, in lower case. */
  signatureHeaders: readonly string[];
  /** What ids look like, by parameter. They leave a captured signature no second reading: see `fitsGrammar`. */
  ids: Readonly<Record<'CallSid' | 'ParentCallSid' | 'DialCallSid' | 'AccountSid' | 'RecordingSid', RegExp>>;
};
