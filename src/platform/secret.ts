import { hash, timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';
import { takeRandomBytes } from './take-random-bytes.ts';

const PRINTED = '[secret]';

/**
 * A value that must never be printed. Converted to text in any way, it's `[secret]`. Only `reveal` returns the value.
 */
export class Secret {
  readonly #value: string;
  /** Parts that are secret on their own, like the password in a URL. */
  readonly parts: readonly Secret[];

  constructor(value: string, parts: readonly string[] = []) {
    this.#value = value;
    this.parts = parts.map((part) => new Secret(part));
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return PRINTED;
  }

  toJSON(): string {
    return PRINTED;
  }

  [inspect.custom](): string {
    return PRINTED;
  }
}

/** Finds every secret in a value, at any depth, with its parts. The log strikes them out. */
export const findSecrets = (value: unknown): Secret[] => {
  if (value instanceof Secret) return [value, ...value.parts];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(findSecrets) : [];
};

/** Makes a secret of 256 random bits, safe in headers and URLs. Always 43 characters. */
export const randomSecret = (): string => takeRandomBytes(32).toString('base64url');

/** The hash of a secret, for storing it. A fast hash is enough: all secrets are random, and there are no passwords. */
export const digestOf = (secret: string): string => hash('sha256', secret, 'hex');

/** Compares values of a fixed length, such as signatures. The time it takes reveals nothing about the content. */
export const equalTags = (left: string, right: string): boolean => {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
};

/** Compares digests, so that the time it takes reveals neither the content nor the length. */
export const equalSecrets = (left: string, right: string): boolean =>
  timingSafeEqual(hash('sha256', left, 'buffer'), hash('sha256', right, 'buffer'));

/**
 * Like `equalSecrets`, but checks whether a text is one of a fixed list of secrets. Always false if the list is empty.
 */
export const createSecretCheck = (secrets: readonly Secret[]): ((text: string) => boolean) => {
  const digests = secrets.map((secret) => hash('sha256', secret.reveal(), 'buffer'));
  /**
   * The secrets that have matched before. A lookup hashes the whole text, so a close guess takes no longer than any
   * other.
   */
  const seen = new Set<string>();
  return (text) => {
    if (digests.length === 0 || text === '') return false;
    if (seen.has(text)) return true;
    const digest = hash('sha256', text, 'buffer');
    // Compare with every secret, so that the time taken doesn't reveal which one matched.
    const isOne = digests.map((one) => timingSafeEqual(one, digest)).includes(true);
    if (isOne) seen.add(text);
    return isOne;
  };
};
