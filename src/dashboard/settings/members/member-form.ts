import type { MemberForm } from './member-page.ts';
import type { Invitation } from './members-page.ts';

/** An empty field means no name. */
const toName = (text: string): string | null => text.trim() || null;

export const toInvitation = ({ email, name, role }: Invitation) => ({ email: email.trim(), name: toName(name), role });

export const toMemberChange = ({ name, role }: MemberForm) => ({ name: toName(name), role });

const EXPLAINED: Readonly<Record<string, string>> = {
  email: 'This is not an email address. Enter one like name@example.com.',
  name: 'A name can have up to 200 characters.',
  role: 'The role must be admin or member.',
};

export const explainInvitation = ([field = '']: readonly string[]): string =>
  EXPLAINED[field] ?? "The form couldn't be read.";
