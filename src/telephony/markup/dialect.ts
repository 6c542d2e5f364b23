/**
 * What differs between providers that share one language. In that language, form parameters in PascalCase come in, and
 * an XML document of verbs goes out.
 */
export type Dialect = {
  /** The headers that may carry the signature, in lower case. The first is the provider's own. */
  signatureHeaders: readonly [string, ...string[]];
  /** The format of ids, by parameter. It keeps captured signatures from being reused: see `createGrammar`. */
  ids: Readonly<Record<'CallSid' | 'ParentCallSid' | 'DialCallSid' | 'AccountSid' | 'RecordingSid', RegExp>>;
  /** Makes an id from 32 hex digits, for simulated calls. */
  toCallSid(hex: string): string;
  toRecordingSid(hex: string): string;
};
