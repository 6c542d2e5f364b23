/**
 * What is wrong with the input, and where, such as `businessHours.friday`. `place` is the part of the request that
 * contains the input. Use cases leave it out, because the same input also comes from commands and forms.
 */
export type InputError = { place?: string; path: string; message: string };

type RefusalDetails = {
  headers?: Record<string, string>;
  errors?: InputError[];
  /** More members of the problem response, besides those that all problems have. */
  members?: Readonly<Record<string, unknown>>;
};

/**
 * A request is refused for a reason that the sender may know. Each part of the service declares its refusals in
 * `errors.ts`. Anything else that is thrown is a bug and becomes a bare 500.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;
  readonly errors: InputError[] | undefined;
  readonly members: Readonly<Record<string, unknown>>;

  /** `code` has two parts, such as `http.caller_gone`. `message` is public and says what to do. */
  constructor(status: number, code: string, message: string, details: RefusalDetails = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = details.headers ?? {};
    this.errors = details.errors;
    this.members = details.members ?? {};
  }
}

/** This process lacks a setting that the database needs. Other processes may have it, so a caller can try again. */
export class SetupIncomplete extends Error {
  override readonly name: string = 'SetupIncomplete';
}
