import { hash, timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';
import { takeRandomBytes } from './take-random-bytes.ts';

const PRINTED = '[secret]';

/** A value that must never be printed: every way of turning it into text gives `[secret]`. `reveal` is the one way out. */
export class Secret {
  readonly #value: string;
  /** What is secret by itself, too, like the password in an address. */
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

/** Every secret in a value, however deep, with its parts: the log strikes them out. */
export const findSecrets = (value: unknown): Secret[] => {
  if (value instanceof Secret) return [value, ...value.parts];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(findSecrets) : [];
};

/** 256 random bits, safe in a header and in an address. Always 43 characters. */
export const randomSecret = (): string => takeRandomBytes(32).toString('base64url');

/** What is stored of a secret of full entropy. A slow hash is for passwords, and there are none. */
export const digestOf = (secret: string): string => hash('sha256', secret, 'hex');

/** For what always has the same length, such as a signature: only the content must not show in the time it takes. */
export const equalTags = (left: string, right: string): boolean => {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
};

/** Compares through digests, so that neither the content nor the length shows in the time it takes. */
export const equalSecrets = (left: string, right: string): boolean =>
  timingSafeEqual(hash('sha256', left, 'buffer'), hash('sha256', right, 'buffer'));
