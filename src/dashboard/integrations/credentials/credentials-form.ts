import type { ListedProvider, SetUp } from '../../../integrations/index.ts';
import { type Html, html, type Refusal } from '../../../platform/index.ts';
import { field, postForm } from '../../form.ts';
import { paramFields } from '../connecting/connect-form.ts';
import { flawNotice } from './flaw-notice.ts';

/** The form as it was filled in, without the secret, which is never sent back. */
export type CredentialsDraft = {
  clientId: string;
  isPublic: boolean;
  params: Readonly<Record<string, string>>;
  problem: Refusal;
};

type CredentialsView = {
  provider: ListedProvider;
  client: SetUp['client'];
  draft: CredentialsDraft | null;
  csrfToken: string;
};

const draftOf = ({ client, draft }: CredentialsView) => {
  const own = client?.of === 'team' ? client : null;
  return draft ?? { clientId: own?.id ?? '', isPublic: false, params: own?.params ?? {}, problem: null };
};

/** The team's own OAuth app, for admins. */
export const credentialsForm = (view: CredentialsView): Html => {
  const { provider, csrfToken } = view;
  const { clientId, isPublic, params, problem } = draftOf(view);
  return html`${problem && flawNotice(problem)}${postForm({
    action: `/integrations/${provider.id}/credentials`,
    csrfToken,
    content: html`${field({ name: 'clientId', label: 'Client ID', value: clientId, required: true })}
${field({ name: 'clientSecret', label: 'Client secret', type: 'password', hint: 'Stored encrypted and never shown again, not even to you.' })}
<p class="set-up-check"><input id="isPublic" name="isPublic" type="checkbox" value="yes"${isPublic ? html` checked` : ''}><label for="isPublic">This is a public client (no secret)</label></p>
${paramFields(provider.params, 'registered', params, false)}`,
    button: 'Save for this team',
  })}`;
};
