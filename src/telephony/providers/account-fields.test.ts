import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FieldRule } from '../contract/provider.ts';
import { PROVIDERS } from './index.ts';

/** Where a value is found: a page of the provider's, something that the provider sends, or what the admin makes up. */
const WHERE =
  /console|dashboard|\bpage\b|\bApp\b|Mission Control|address of your space|that (?:Telnyx|you)|when you create/i;

for (const { name, rules } of PROVIDERS)
  describe(`what ${name} needs for an account`, () => {
    const fields: FieldRule[] = [
      ...(rules.accountId ? [rules.accountId] : []),
      rules.secret,
      ...Object.values(rules.api),
    ];

    test('is explained by what it looks like and where it is, not by its own name', () => {
      for (const { label, hint } of fields) {
        assert.ok(!hint.toLowerCase().startsWith(`the ${label.toLowerCase()}`), `${label} must be ${hint}`);
        assert.match(hint, WHERE, label);
        assert.doesNotMatch(hint, /\.$|UUID|base64|PEM/, label);
      }
    });

    test('says what the credentials for recordings are for, if there are any', () => {
      assert.equal(rules.apiUse !== undefined, Object.keys(rules.api).length > 0);
    });
  });
