import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js';
import { SECRETS } from '../harness/app.ts';
import { type Crm, startCrm } from '../harness/crm-server.ts';
import { crmRecords, HUB } from '../harness/people-stage.ts';
import { writeProviderFile } from '../harness/provider-file.ts';
import { AUTH_TOKEN, CALLER, newAccountSid, newCallSid, OUR_NUMBER, VOICE } from '../harness/telephony-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { findViolations } from './find-violations.ts';
import { type BrowserStage, openBrowserStage, signIn } from './stage.ts';

const NAME = 'Jane <b>Doe</b>';

describe('callers and calls of a CRM in a browser', () => {
  let crm: Crm;
  let file: ReturnType<typeof writeProviderFile>;
  let stage: BrowserStage;
  let page: Page;
  let account: { id: string };
  const accountId = newAccountSid();

  const ask = async (method: string, path: string, body: object) => {
    const answer = await fetch(`${stage.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${SECRETS.PATCHBAY_ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${text}`);
    return text === '' ? null : JSON.parse(text);
  };

  const tell = async (callSid: string, changes: Record<string, string>, query = ''): Promise<void> => {
    const address = `${stage.url}${VOICE}?account=${account.id}${query}`;
    const params = {
      ...{ AccountSid: accountId, CallSid: callSid, From: CALLER, To: OUR_NUMBER, Direction: 'inbound' },
      ...changes,
    };
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'x-twilio-signature': getExpectedTwilioSignature(AUTH_TOKEN, address, params) },
      body: new URLSearchParams(params),
    });
    assert.ok(answer.ok, `${answer.status} ${await answer.text()}`);
  };

  before(async () => {
    crm = await startCrm();
    file = writeProviderFile(crmRecords(crm.url));
    stage = await openBrowserStage({
      PATCHBAY_PROVIDERS: file.path,
      PATCHBAY_ADMIN_TOKEN: SECRETS.PATCHBAY_ADMIN_TOKEN,
    });
    page = await (await stage.newContext({ reducedMotion: 'reduce' })).newPage();
    await signIn(page, stage.link);
    await ask('PUT', `/api/integrations/${HUB}/key`, { fields: { api_key: 'key' } });
    account = await ask('POST', '/api/telephony/accounts', { provider: 'twilio', accountId, secrets: [AUTH_TOKEN] });
    await ask('POST', '/api/telephony/numbers', { number: OUR_NUMBER, account: account.id });
  });

  after(async () => {
    await stage.close();
    await crm.stop();
    file.remove();
  });

  test('are turned on, named on the live list, and logged again after the CRM has refused', async () => {
    await page.goto(`${stage.url}/integrations/${HUB}`);
    await page.getByLabel('Show the names of callers').check();
    await page.getByLabel('Log calls that end from now on').check();
    await page.locator('#people').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    assert.equal(await page.getByLabel('Show the names of callers').isChecked(), true);

    crm.addContact('hub', { name: NAME, phone: '(555) 123-0001' });
    crm.intervene(({ method, path }) =>
      method === 'POST' && path.endsWith('/objects/calls') ? { status: 403, content: {} } : null,
    );
    await page.goto(`${stage.url}/calls`);
    const callSid = newCallSid();
    await tell(callSid, { CallStatus: 'ringing' });
    await page.locator('table.calls').getByText(NAME).waitFor();

    await tell(callSid, { CallStatus: 'completed', CallbackSource: 'call-progress-events' }, '&step=status');
    const retry = page.locator('#people').getByRole('button', { name: 'Try again' });
    await waitUntil('the refused call is listed', async () => {
      await page.goto(`${stage.url}/integrations/${HUB}`);
      return (await retry.count()) === 1;
    });
    assert.deepEqual(await findViolations(page), []);
    crm.mend();
    await retry.click();
    await waitUntil('the call is logged', () => crm.entries.hub.length === 1);
    await waitUntil('the page says so', async () => {
      await page.goto(`${stage.url}/integrations/${HUB}`);
      return page.getByText('1 logged').isVisible();
    });
    assert.equal(await retry.count(), 0);
    assert.deepEqual(stage.complaints, []);
  });
});
