import { hash, timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';
import { takeRandomBytes } from './take-random-bytes.ts';

const PRINTED = '[secret]';

/** A value that must never be printed. Turned into text in any way, it says `[secret]`. Only `reveal` returns it. */
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

/** Every secret in a value, at any depth, with its parts. The log strikes them out. */
export const findSecrets = (value: unknown): Secret[] => {
  if (value instanceof Secret) return [value, ...value.parts];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(findSecrets) : [];
};

/** 256 random bits, safe in headers and URLs. Always 43 characters. */
export const randomSecret = (): string => takeRandomBytes(32).toString('base64url');

/** What is stored of a secret with full entropy. Slow hashes are for passwords, and there are none. */
export const digestOf = (secret: string): string => hash('sha256', secret, 'hex');

/** For values of a fixed length, such as signatures: the time it takes reveals nothing about the content. */
export const equalTags = (left: string, right: string): boolean => {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
};

/** Compares digests, so that the time it takes reveals neither the content nor the length. */
export const equalSecrets = (left: string, right: string): boolean =>
  timingSafeEqual(hash('sha256', left, 'buffer'), hash('sha256', right, 'buffer'));

/** The same for a list that stays: is this one of them? Nothing is, if the list is empty. */
export const createSecretCheck = (secrets: readonly Secret[]): ((text: string) => boolean) => {
  const digests = secrets.map((secret) => hash('sha256', secret.reveal(), 'buffer'));
  /** At most one for each secret. They are only found by their whole hash, so a close guess takes no longer. */
  const seen = new Set<string>();
  return (text) => {
    if (digests.length === 0 || text === '') return false;
    if (seen.has(text)) return true;
    const digest = hash('sha256', text, 'buffer');
    // Compares every one, so that the time taken doesn't reveal which one matched.
    const isOne = digests.map((one) => timingSafeEqual(one, digest)).includes(true);
    if (isOne) seen.add(text);
    return isOne;
  };
};
