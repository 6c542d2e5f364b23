/**
 * How good the evidence is for the fields that an entry needs to connect. `confirmed`: tried with the provider's real
 * service. `documented`: every field has a public source. `recalled`: at least one field has none.
 */
export const CONFIDENCE = ['confirmed', 'documented', 'recalled'] as const;
export type Confidence = (typeof CONFIDENCE)[number];

/** The rating of a built-in entry's evidence. */
export type Proof = {
  confidence: Confidence;
  /** Fields that are doubtful, known only from memory, or stated without a source. */
  unconfirmed: readonly string[];
  /**
   * How many fields the entry states, how many of these the provider itself documents, and when the sources were last
   * checked (a day or a month).
   */
  sources: { fields: number; own: number; checked: string };
};
