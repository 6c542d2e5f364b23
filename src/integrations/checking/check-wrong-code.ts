import { randomSecret } from '../../platform/index.ts';
import { describeFailure } from '../catalogue/provider-failure.ts';
import type { AskContext, Target } from '../requests/ask-provider.ts';
import { exchangeCode } from '../requests/grant-requests.ts';
import { type CheckStep, notPassed, passed } from './check-step.ts';

const NAME = 'wrong code';
const NO_SUCH_PAGE = new Set([404, 405, 410]);

/** Sends a code that the provider never issued. A working token endpoint refuses it. */
export const checkWrongCode = async (context: AskContext, target: Target, redirectUri: string): Promise<CheckStep> => {
  const code = `patchbay-check-${randomSecret()}`;
  const { failure } = await exchangeCode(context, target, {
    ...{ code, redirectUri, verifier: randomSecret(), state: randomSecret() },
  });
  if (!failure)
    return notPassed(
      NAME,
      'failed',
      'It returned a token for a code that it never issued. Is this the right token.url?',
    );
  const { kind, httpStatus = 0 } = failure;
  if (kind === 'invalid_grant')
    return passed(NAME, 'It accepted the client and refused the code.', ['token.url', 'token.auth']);
  if (kind === 'refused' && failure.code !== null && !NO_SUCH_PAGE.has(httpStatus))
    return notPassed(
      NAME,
      'unclear',
      `It refused with "${failure.code}". If that means the code, add it to errors.invalidGrant; otherwise check token.params.`,
    );
  if (kind === 'invalid_client')
    return notPassed(NAME, 'failed', `${describeFailure(failure)} Check both, and token.auth.`);
  const answered = httpStatus === 0 ? '' : ` It responded with ${httpStatus}.`;
  return notPassed(NAME, 'failed', `${describeFailure(failure)}${answered} Check token.url.`);
};
