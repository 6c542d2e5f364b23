// Attack: a stranger adds to somebody's trace, or fills the collector with spans that cost the stranger nothing.
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { SECRETS } from '../harness/app.ts';
import { openTracesStage } from '../harness/traces-stage.ts';
import { useStage } from '../harness/use-stage.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const NAMED = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };

describe('a stranger', () => {
  const stage = useStage(() => openTracesStage('sqlite'));
  afterEach(() => {
    stage.collector.spans.length = 0;
  });

  /** Every span that was exported before that of a request that comes last. */
  const spansBefore = async (last: string, headers: Record<string, string>) => {
    const { collector, server } = stage;
    await server.inject({ url: last, headers });
    await collector.waitFor('the last', 1, ({ attributes }) => attributes['http.route'] === last);
    return collector.spans.filter(({ attributes }) => attributes['http.route'] !== last);
  };

  test('makes no spans where everybody may ask, and none where the answer is no', async () => {
    const { server } = stage;
    const { admin, member } = await stage.createTeam('refused');
    for (const url of ['/healthz', '/readyz', '/openapi.json', '/assets/page.css', '/nothing', '/api/nothing'])
      await server.inject({ url, headers: NAMED });
    for (const url of ['/api/team', '/api/integrations/acme-full/proxy/x', '/metrics', '/api/cron/weekly-report'])
      for (const authorization of ['Bearer wrong', ''])
        assert.equal((await server.inject({ url, headers: { ...NAMED, authorization } })).statusCode, 401, url);
    const url = '/api/integrations/requests';
    assert.equal((await server.inject({ url, headers: { ...NAMED, ...member.headers } })).statusCode, 403);
    assert.deepEqual(await spansBefore('/api/tokens', admin.headers), []);
  });

  test('chooses no trace, unlike a caller who is known', async () => {
    const { server } = stage;
    const { admin } = await stage.createTeam('known');
    const strange = ['/api/integrations/acme-full/callback?error=x', '/api/webhooks/telephony/voice?CallSid=x'];
    for (const url of strange) await server.inject({ url, headers: NAMED });
    const known = { '/api/team': admin.headers.authorization, '/metrics': `Bearer ${SECRETS.METRICS_TOKEN}` };
    for (const [url, authorization] of Object.entries(known))
      await server.inject({ url, headers: { ...NAMED, authorization } });
    const spans = await spansBefore('/api/tokens', admin.headers);
    assert.deepEqual(
      spans.map(({ name, traceId, parentSpanId }) => [name, traceId === TRACE, parentSpanId !== '']),
      [
        ['GET /api/integrations/:provider/callback', false, false],
        ['GET /api/webhooks/telephony/voice', false, false],
        ['GET /api/team', true, true],
        ['GET /metrics', true, true],
      ],
    );
  });
});
