import { Refusal, Type } from '../../platform/index.ts';
import type { AgentsContext } from '../context.ts';
import { FIELDS, ProvidersAnswer } from './schemas.ts';
import { toAnswered } from './to-answered.ts';
import { defineTool, READS, type ToolCall } from './tool.ts';

const { Text, TextOrNull } = FIELDS;

/** The provider's response. Null if there is none, or none any more. */
const readResponse = async (
  { integrations, url }: AgentsContext,
  { caller }: ToolCall,
  id: string,
  provider: string,
) => {
  try {
    const kept = await integrations.approvals.getResponse(caller, id);
    return toAnswered(kept, `${url}/api/integrations/${provider}/proxy`);
  } catch (error) {
    if (error instanceof Refusal && error.code.startsWith('approvals.')) return null;
    throw error;
  }
};

export const getApprovalTool = defineTool({
  name: 'get_approval',
  title: 'Look at an approval',
  description:
    'Says what became of a request that waits for the approval of a person. `waiting`: nobody has decided yet, so ask the person, and look again later. `sending`: look again in a few seconds. `sent`: the provider has responded, and `response` has what it said, for an hour. `refused`, `expired`, `failed`: it was not sent. `unclear`: nobody knows whether it was sent, so look at the provider before you ask again. Example: {"id": "01a1…"}.',
  input: Type.Object({ id: Type.String({ maxLength: 60 }) }, { additionalProperties: false }),
  output: Type.Object({
    id: Text,
    state: Text,
    provider: Text,
    connection: Text,
    method: Text,
    path: Text,
    query: Text,
    requestedAt: Text,
    expiresAt: Text,
    problem: TextOrNull,
    response: Type.Union([ProvidersAnswer, Type.Null()]),
  }),
  hints: READS,
  isFor: ({ approvalMinutes, allow }) => approvalMinutes !== null && allow.length > 0,
  async run(context, call, { id }) {
    const approval = await context.integrations.approvals.get(call.caller, id);
    const { state, provider, connection, method, path, query, requestedAt, expiresAt, problem } = approval;
    const response = state === 'sent' ? await readResponse(context, call, id, provider) : null;
    return { id, state, provider, connection, method, path, query, requestedAt, expiresAt, problem, response };
  },
});
