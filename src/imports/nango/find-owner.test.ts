import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findOwner } from './find-owner.ts';

const TAGS = {
  end_user_id: 'user-of-tags',
  end_user_display_name: 'Ada of Tags',
  end_user_email: 'tags@example.com',
  organization_id: 'org-of-tags',
  organization_display_name: 'Tags Inc.',
};
const END_USER = {
  id: 'user-of-old',
  display_name: 'Ada of Old',
  email: 'old@example.com',
  organization: { id: 'org-of-old', display_name: 'Old Inc.' },
};
const OF_TAGS = {
  customer: { key: 'org-of-tags', name: 'Tags Inc.' },
  user: { key: 'user-of-tags', name: 'Ada of Tags', email: 'tags@example.com' },
};
const OF_OLD = {
  customer: { key: 'org-of-old', name: 'Old Inc.' },
  user: { key: 'user-of-old', name: 'Ada of Old', email: 'old@example.com' },
};

const find = (tags: Record<string, string> | null, end_user: typeof END_USER | null) =>
  findOwner({ connection_id: 'c', tags, end_user }, { by: 'owner' });

test('what tags say about an owner counts, even if the deprecated end user says something else', () => {
  assert.deepEqual(find(TAGS, END_USER), OF_TAGS);
});

test('without tags, or with empty ones, an owner is what the end user says', () => {
  const empty = Object.fromEntries(Object.keys(TAGS).map((name) => [name, '']));
  for (const tags of [null, {}, empty]) assert.deepEqual(find(tags, END_USER), OF_OLD);
});

test('an owner without an organization is the end user, under the best name there is', () => {
  const { organization_id: _, organization_display_name: __, ...alone } = TAGS;
  const { user } = OF_TAGS;
  assert.deepEqual(find(alone, null), { customer: { key: 'user-of-tags', name: 'Ada of Tags' }, user });
  assert.deepEqual(find({ ...alone, end_user_display_name: '' }, null)?.customer.name, 'tags@example.com');
  assert.deepEqual(find({ end_user_id: 'user-of-tags' }, null)?.customer.name, 'user-of-tags');
  assert.equal(find({}, null), null);
});

test('tags that name another user or organization take nothing from the end user', () => {
  const user = { key: 'user-of-tags', name: null, email: null };
  assert.deepEqual(find({ end_user_id: 'user-of-tags' }, END_USER), {
    customer: { key: 'user-of-tags', name: 'user-of-tags' },
    user,
  });
  assert.deepEqual(find({ organization_id: 'org-of-tags' }, END_USER), {
    customer: { key: 'org-of-tags', name: 'org-of-tags' },
    user: OF_OLD.user,
  });
  assert.deepEqual(find({ end_user_id: 'user-of-old', organization_id: 'org-of-old' }, END_USER), OF_OLD);
});
