/** What Patchbay refused, or what this client refused to send (`client.…`, with status 0). */
export class PatchbayError extends Error {
    name = 'PatchbayError';
    /** Such as `integrations.not_connected`. */
    code;
    status;
    /** Find it in Patchbay's log. Null if Patchbay sent none. */
    requestId;
    /** After how many seconds it's worth trying again. Null if Patchbay didn't say. */
    retryAfterSeconds;
    /** Everything that Patchbay said, such as `errors` or `connections`. Null if it wasn't Patchbay that responded. */
    problem;
    constructor(code, message, { status = 0, requestId = null, retryAfterSeconds = null, problem = null, ...options } = {}) {
        super(message, options);
        this.code = code;
        this.status = status;
        this.requestId = requestId;
        this.retryAfterSeconds = retryAfterSeconds;
        this.problem = problem;
    }
}
const isRedirect = ({ type, status }) => type === 'opaqueredirect' || (status >= 300 && status < 400);
const readProblem = async (response) => {
    const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
    const body = isProblem ? await response.json().catch(() => null) : null;
    const { code, detail } = Object(body);
    return typeof code === 'string' && typeof detail === 'string' ? body : null;
};
/** With the first of the errors that it only refers to. */
const messageOf = ({ detail, errors: [first] = [] }) => first ? `${detail.replace(/ See "errors"\.$/, '')} ${first.path} ${first.message}.` : detail;
const secondsOf = (after) => after !== null && /^\d+$/.test(after) ? Number(after) : null;
/** For a response that isn't what was asked for. */
export const toError = async (response) => {
    const { status, headers } = response;
    const requestId = headers.get('x-request-id');
    const problem = await readProblem(response);
    const retryAfterSeconds = secondsOf(headers.get('retry-after'));
    if (problem)
        return new PatchbayError(problem.code, messageOf(problem), { status, requestId, retryAfterSeconds, problem });
    await response.body?.cancel().catch(() => undefined);
    if (isRedirect(response))
        return new PatchbayError('client.redirected', "The address redirects, and redirects aren't followed with the token. Set `url` to Patchbay's own address.", { status, requestId });
    const message = `The address responded with status ${status}, but not as Patchbay does.`;
    return new PatchbayError('client.unexpected_response', message, { status, requestId, retryAfterSeconds });
};
