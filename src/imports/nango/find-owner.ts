import type { NangoConnection } from './nango-schemas.ts';

/** The customer and user that a connection belongs to. Each `key` is the ID that the product uses for them. */
export type Owner = {
  customer: { key: string; name: string };
  user: { key: string; name: string | null; email: string | null } | null;
};

/**
 * Where the customer's key comes from: the organization or else the end user (`owner`), the connection's ID, or a tag.
 */
export type CustomerSource = { by: 'owner' } | { by: 'connection' } | { by: 'tag'; tag: string };

const filled = (text: string | null | undefined): string | null => (text ? text : null);

/**
 * Reads the owner from the tags, or else from `end_user`, which is deprecated in Nango. Null if neither names an owner.
 */
export const findOwner = (
  { connection_id, tags, end_user }: Pick<NangoConnection, 'connection_id' | 'tags' | 'end_user'>,
  source: CustomerSource,
): Owner | null => {
  const tag = (name: string): string | null => filled(tags?.[name]);
  const userKey = tag('end_user_id') ?? filled(end_user?.id);
  // If the tag names a different user than `end_user`, ignore the name, email and organization in `end_user`.
  const sameUser = userKey === filled(end_user?.id) ? end_user : null;
  const userName = tag('end_user_display_name') ?? filled(sameUser?.display_name);
  const email = tag('end_user_email') ?? filled(sameUser?.email);
  const organization = tag('organization_id') ?? filled(sameUser?.organization?.id);
  const sameOrganization = organization === filled(end_user?.organization?.id) ? end_user?.organization : null;
  const organizationName = tag('organization_display_name') ?? filled(sameOrganization?.display_name);
  const user = userKey === null ? null : { key: userKey, name: userName, email };
  const belongsTo = (key: string | null, name: string | null): Owner | null =>
    key === null ? null : { customer: { key, name: name ?? key }, user };
  if (source.by === 'connection') return belongsTo(connection_id, null);
  if (source.by === 'tag') return belongsTo(tag(source.tag), null);
  return belongsTo(organization, organizationName) ?? belongsTo(userKey, userName ?? email);
};
