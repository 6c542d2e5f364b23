import type { Problem } from './operations.ts';

/** An error from Patchbay, or from this client (`client.…`, with status 0). */
export class PatchbayError extends Error {
  override readonly name = 'PatchbayError';
  /** A code such as `integrations.not_connected`. */
  declare readonly code: string;
  declare readonly status: number;
  /** The request's ID in Patchbay's log. Null if Patchbay sent none. */
  declare readonly requestId: string | null;
  /** After how many seconds it's worth trying again. Null if Patchbay didn't say. */
  declare readonly retryAfterSeconds: number | null;
  /** Patchbay's whole response, with members such as `errors` or `connections`. Null if something else responded. */
  declare readonly problem: (Problem & Readonly<Record<string, unknown>>) | null;

  /** With the code `tokens.approval_needed`: the approval that the request waits for. Null with any other code. */
  declare readonly approval: { id: string; url: string; expiresAt: string } | null;

  constructor(
    code: string,
    message: string,
    {
      status = 0,
      requestId = null,
      retryAfterSeconds = null,
      problem = null,
      ...options
    }: Partial<Pick<PatchbayError, 'status' | 'requestId' | 'retryAfterSeconds' | 'problem'>> & ErrorOptions = {},
  ) {
    super(message, options);
    const approval = problem?.['approval'] ?? null;
    Object.assign(this, { code, status, requestId, retryAfterSeconds, problem, approval });
  }
}

const isRedirect = ({ type, status }: Response): boolean =>
  type === 'opaqueredirect' || (status >= 300 && status < 400);

const readProblem = async (response: Response): Promise<PatchbayError['problem']> => {
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
  const body: unknown = isProblem ? await response.json().catch(() => null) : null;
  const { code, detail } = Object(body) as Partial<Problem>;
  return typeof code === 'string' && typeof detail === 'string' ? (body as PatchbayError['problem']) : null;
};

/** Adds the first of the errors to the message, which only refers to them. */
const messageOf = ({ detail, errors: [first] = [] }: Problem): string =>
  first ? `${detail.replace(/ See "errors"\.$/, '')} ${first.path} ${first.message}.` : detail;

/** Makes the error for a response that isn't the expected one. */
export const toError = async (response: Response): Promise<PatchbayError> => {
  const { status, headers } = response;
  const requestId = headers.get('x-request-id');
  const problem = await readProblem(response);
  // Patchbay sends seconds. Other servers may send a date, which is ignored.
  const retryAfterSeconds = Number(headers.get('retry-after')) || null;
  if (problem)
    return new PatchbayError(problem.code, messageOf(problem), { status, requestId, retryAfterSeconds, problem });
  await response.body?.cancel().catch(() => undefined);
  if (isRedirect(response))
    return new PatchbayError(
      'client.redirected',
      "The address redirects, and the token doesn't follow. Set `url` to Patchbay's own address.",
      { status, requestId },
    );
  const message = `The address responded with status ${status}, but not as Patchbay does.`;
  return new PatchbayError('client.unexpected_response', message, { status, requestId, retryAfterSeconds });
};
