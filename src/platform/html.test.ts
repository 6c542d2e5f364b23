import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { html } from './html.ts';

test('text is escaped, whatever comes before it', () => {
  assert.equal(
    html`<p title="${'"><script>'}">Hello!${"<b>'&"}</p>`.toString(),
    '<p title="&quot;&gt;&lt;script&gt;">Hello!&lt;b&gt;&#39;&amp;</p>',
  );
});

test('our own markup is not escaped, alone or in lists, and null prints nothing', () => {
  const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`);
  assert.equal(
    html`<ul>${items}${null}${undefined}${false}${0}</ul>`.toString(),
    '<ul><li>a</li><li>&lt;b&gt;</li>0</ul>',
  );
});

test('text can neither open a tag nor leave an attribute', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      assert.doesNotMatch(html`${text}`.toString(), /[<>"']/);
    }),
  );
});
