import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Notice } from '../../src/notices/alerts/notice.ts';
import { renderAlertMail } from '../../src/notices/alerts/render-alert-mail.ts';
import { renderMail } from '../../src/reports/rendering/render-mail.ts';
import { renderLinkMail } from '../../src/teams/links/render-link-mail.ts';
import { OUTCOME_COLORS } from '../../src/telephony/index.ts';
import { findMailFlaws, MOST_MAIL_BYTES } from '../harness/mail-rules.ts';
import { empty, full, typed, viewOf } from '../harness/report-figures.ts';

const ADDRESS = `https://pb.test/${'a'.repeat(400)}`;
const LINKS = { report: ADDRESS, unsubscribe: `https://pb.test/unsubscribe/${'s'.repeat(400)}` };
/** Four bytes each, and six each once they are escaped. */
const LONGEST = ['😀'.repeat(200), '"'.repeat(200), 'W'.repeat(200)];

const fill = <One>(list: readonly One[], times = 1_000): One[] => Array.from({ length: times }, () => list).flat();

/** As many of everything as a week can have, with the longest names, in every hour of every day. */
const longestReport = (text: string) => {
  const { unreturned, numbers, integrations, ...figures } = typed(text);
  return {
    ...figures,
    heat: figures.heat.map((hours) => hours.map((_, hour) => 100_000_000 + hour)),
    unreturned: {
      total: 1_000_000,
      oldest: fill(unreturned.oldest).map((one, call) => ({ ...one, callId: `${call}` })),
    },
    numbers: fill(numbers),
    integrations: fill(integrations),
  };
};

const longestNotice = (text: string): Notice => {
  const alert = {
    ...{ id: 'a', kind: 'reconnect' as const, subject: 's', openedAt: 0, action: 'Reconnect' },
    ...{ forAdmins: false, url: ADDRESS },
    ...{ title: text.slice(0, 120), detail: text.slice(0, 120), nextStep: text.slice(0, 120), resolution: text },
  };
  const alerts = fill([alert], 20);
  const links = { open: ADDRESS, settings: ADDRESS };
  return { team: text, opened: alerts, resolved: alerts, more: { opened: 9_000, resolved: 9_000 }, links };
};

const letter = { subject: 'S', title: 'Sign in', why: LONGEST[0] ?? '', button: 'Sign in', limits: 'Once.' };

describe('every email follows the rules of Gmail, Outlook and Apple Mail', () => {
  const mails: [name: string, html: string][] = [
    ['a report', renderMail(viewOf(full), LINKS).html],
    ['an empty report', renderMail(viewOf(empty), LINKS).html],
    ['an unfinished week', renderMail({ ...viewOf(empty), isOver: false }, LINKS).html],
    ...LONGEST.map((text): [string, string] => [
      `a report full of ${text.slice(0, 2)}`,
      renderMail(viewOf(longestReport(text), text), LINKS).html,
    ]),
    ...LONGEST.map((text): [string, string] => [
      `alerts full of ${text.slice(0, 2)}`,
      renderAlertMail(longestNotice(text)).html,
    ]),
    ['a sign-in link', renderLinkMail(ADDRESS, letter).html],
  ];
  for (const [name, html] of mails) test(name, () => assert.deepEqual(findMailFlaws(html), []));

  test('a bar has the color that its outcome has on the pages, in light and in dark mode', () => {
    const { html } = renderMail(viewOf(full), LINKS);
    for (const outcome of ['answered', 'missed', 'abandoned', 'voicemail', 'other', 'unanswered'] as const) {
      const { light, dark } = OUTCOME_COLORS[outcome];
      assert.match(html, new RegExp(`<td class="is-${outcome}"[^>]* bgcolor="${light}"`));
      assert.ok(html.includes(`.is-${outcome}{background-color:${dark}!important}`));
    }
  });
});

describe('the rules notice', () => {
  const page = (content: string) => renderMail(viewOf(empty), LINKS).html.replace('</h1>', `</h1>${content}`);
  for (const [what, content] of [
    ['a script', '<script>1</script>'],
    ['a picture', '<img src="x">'],
    ['a handler', '<p onclick="x">x</p>'],
    ['a flexible box', '<p style="display:flex">x</p>'],
    ['a variable', '<p style="color:var(--ink)">x</p>'],
    ['padding that Outlook drops', '<p style="padding:1px">x</p>'],
    [
      'a background that Outlook drops',
      '<table cellpadding="0" cellspacing="0" border="0" role="presentation"><tr><td style="background-color:#000000">x</td></tr></table>',
    ],
    ['a table without a role', '<table cellpadding="0" cellspacing="0" border="0"><tr><td>x</td></tr></table>'],
    ['a link without a color', '<a href="https://pb.test">x</a>'],
    ['what is not closed', '<p>'],
    ['too many bytes', `<p>${'x'.repeat(MOST_MAIL_BYTES)}</p>`],
    ['another style sheet', '<style>p{display:grid}</style>'],
  ] as const)
    test(what, () => assert.notDeepEqual(findMailFlaws(page(content)), []));
});
