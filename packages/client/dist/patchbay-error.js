export class PatchbayError extends Error {
    name = 'PatchbayError';
    constructor(code, message, { status = 0, requestId = null, retryAfterSeconds = null, problem = null, ...options } = {}) {
        super(message, options);
        const approval = problem?.['approval'] ?? null;
        Object.assign(this, { code, status, requestId, retryAfterSeconds, problem, approval });
    }
}
const isRedirect = ({ type, status }) => type === 'opaqueredirect' || (status >= 300 && status < 400);
const readProblem = async (response) => {
    const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
    const body = isProblem ? await response.json().catch(() => null) : null;
    const { code, detail } = Object(body);
    return typeof code === 'string' && typeof detail === 'string' ? body : null;
};
const messageOf = ({ detail, errors: [first] = [] }) => first ? `${detail.replace(/ See "errors"\.$/, '')} ${first.path} ${first.message}.` : detail;
export const toError = async (response) => {
    const { status, headers } = response;
    const requestId = headers.get('x-request-id');
    const problem = await readProblem(response);
    const retryAfterSeconds = Number(headers.get('retry-after')) || null;
    if (problem)
        return new PatchbayError(problem.code, messageOf(problem), { status, requestId, retryAfterSeconds, problem });
    await response.body?.cancel().catch(() => undefined);
    if (isRedirect(response))
        return new PatchbayError('client.redirected', "The address redirects, and the token doesn't follow. Set `url` to Patchbay's own address.", { status, requestId });
    const message = `The address responded with status ${status}, but not as Patchbay does.`;
    return new PatchbayError('client.unexpected_response', message, { status, requestId, retryAfterSeconds });
};
