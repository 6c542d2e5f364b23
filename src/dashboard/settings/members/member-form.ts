import type { MemberForm } from './member-page.ts';
import type { Invitation } from './members-page.ts';

/** An empty field is no name. */
const toName = (text: string): string | null => text.trim() || null;

export const toInvitation = ({ email, name, role }: Invitation) => ({ email: email.trim(), name: toName(name), role });

export const toMemberChange = ({ name, role }: MemberForm) => ({ name: toName(name), role });

const EXPLAINED: Readonly<Record<string, string>> = {
  email: 'That is not a mail address: give one like name@example.com.',
  name: 'A name has 200 characters at most.',
  role: 'The role is admin or member.',
};

export const explainInvitation = ([field = '']: readonly string[]): string =>
  EXPLAINED[field] ?? 'The form cannot be read.';
