import { type Html, html, Type } from '../../../../platform/index.ts';
import type { AccountWish, FieldRule, ProviderInfo } from '../../../../telephony/index.ts';
import { checkBox, field, textArea } from '../../../form.ts';
import type { ExplainError } from '../../../notice.ts';

/** The body of the form. Its fields differ by provider, so the use case checks them. */
export const AccountForm = Type.Record(Type.String({ maxLength: 60 }), Type.String({ maxLength: 10_000 }));
export type AccountForm = Readonly<Record<string, string>>;

export const enteredText = (form: AccountForm, name: string): string => (form[name] ?? '').trim();

/** The API credentials that are filled in. */
export const readApi = ({ rules }: ProviderInfo, form: AccountForm): Record<string, string> =>
  Object.fromEntries(
    Object.keys(rules.api)
      .map((name) => [name, enteredText(form, `api.${name}`)] as const)
      .filter(([, value]) => value !== ''),
  );

export const isTicked = (form: AccountForm, name: string): boolean => enteredText(form, name) === 'on';

export const readMode = (form: AccountForm) => (isTicked(form, 'observe') ? 'observe' : 'enforce');

export const toAccountWish = (provider: ProviderInfo, form: AccountForm): AccountWish => ({
  provider: provider.id,
  accountId: enteredText(form, 'accountId') || null,
  secrets: [enteredText(form, 'secret')],
  api: readApi(provider, form),
  mode: readMode(form),
  removesArchived: isTicked(form, 'removesArchived'),
});

/** A field with the provider's name for it. A secret is hidden while typing, and never sent back. */
const ruledField = (name: string, { label, hint, input }: FieldRule, value: string, required: boolean): Html => {
  const says = `${hint.charAt(0).toUpperCase()}${hint.slice(1)}.`;
  if (input === 'lines') return textArea({ name, label, value: '', rows: 4, hint: says });
  const shown = input === 'text' ? { value } : { type: 'password' as const };
  return field({ name, label, hint: says, required, ...shown });
};

export const accountIdField = ({ rules }: ProviderInfo, value: string): Html | null =>
  rules.accountId && ruledField('accountId', { ...rules.accountId, input: 'text' }, value, false);

export const secretField = ({ rules }: ProviderInfo): Html => ruledField('secret', rules.secret, '', true);

export const apiFields = ({ rules }: ProviderInfo, form: AccountForm): Html[] =>
  Object.entries(rules.api).map(([name, rule]) =>
    ruledField(`api.${name}`, rule, enteredText(form, `api.${name}`), false),
  );

export const accountBoxes = (removesArchived: boolean, observe: boolean): Html =>
  html`${checkBox({ name: 'removesArchived', label: 'Delete recordings at the provider', checked: removesArchived, hint: "As soon as they're archived here." })}${checkBox({ name: 'observe', label: "Answer calls for seven days even if requests can't be verified", checked: observe, hint: 'What arrives is set aside, and is listed as calls only once you have fixed the cause and accepted it. Use this only while you move a number to Patchbay.' })}`;

export const explainAccountError =
  ({ rules }: ProviderInfo): ExplainError =>
  ({ path, message }) => {
    const [place = '', name = ''] = path.split('.');
    const labels = { accountId: rules.accountId?.label, secrets: rules.secret.label, api: rules.api[name]?.label };
    return { name: labels[place as keyof typeof labels] ?? path, message };
  };
