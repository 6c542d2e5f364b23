/**
 * How good the evidence for an entry is. `confirmed`: connecting was tried with the provider's real service.
 * `documented`: the provider itself documents every field and default that the entry relies on. `referenced`: what the
 * entry states for connecting has public sources, such as other catalogs. `recalled`: a part of that has none.
 */
export const CONFIDENCE = ['confirmed', 'documented', 'referenced', 'recalled'] as const;
export type Confidence = (typeof CONFIDENCE)[number];

/** The rating of a built-in entry's evidence. */
export type Proof = {
  confidence: Confidence;
  /** Fields and defaults that are doubtful, known only from memory, or have no source. */
  unconfirmed: readonly string[];
  /**
   * How many fields the entry states, how many of these the provider itself documents, and when the sources were last
   * checked (a day or a month).
   */
  sources: { fields: number; own: number; checked: string };
};
