import { RIGHT_NAMES, type Right } from '../../../http/index.ts';
import { type Html, html, Type } from '../../../platform/index.ts';
import { METHODS_TO_ALLOW, TOKEN_DAYS } from '../../../teams/index.ts';
import { checkBox, choice, radio, textArea } from '../../form.ts';
import { RIGHT_WORDS } from './rights-words.ts';

/** The body of the form. It has a checkbox for each right, so its fields are checked after they are read. */
export const TokenFormBody = Type.Record(Type.String({ maxLength: 60 }), Type.String({ maxLength: 12_000 }));
export type TokenForm = Readonly<Record<string, string>>;

/** How many connections are offered. With more, the command line is the better place. */
const MOST_PLACES = 200;

const boxOf = (right: Right): string => `can.${right}`;

const tick = (...rights: Right[]): TokenForm => Object.fromEntries(rights.map((right) => [boxOf(right), 'on']));

/** Forms that are filled in for common wishes. */
export const PRESETS = {
  read: { name: '', kind: 'some', ...tick('status', 'calls', 'recordings', 'reports', 'events') },
  provider: { name: '', kind: 'some', access: 'read' },
  ask: { name: '', kind: 'some', access: 'ask' },
  report: { name: 'Weekly report', kind: 'some', ...tick('reports') },
} as const satisfies Record<string, TokenForm>;

export type Preset = keyof typeof PRESETS;

const readPaths = (text = ''): string[] => text.split(/\s+/).filter((line) => line !== '');

const readAllow = ({ place = '', access, paths }: TokenForm) => {
  if (place === '') return [];
  const [provider = '', connection = ''] = place.split(':');
  const patterns = readPaths(paths);
  return [
    {
      ...{ provider, connection },
      ...(access === 'everything' ? { methods: METHODS_TO_ALLOW } : {}),
      ...(patterns.length > 0 ? { paths: patterns } : {}),
    },
  ];
};

/** Reads the form as a request for a token. */
export const readTokenForm = (form: TokenForm) => {
  const [name, days] = [(form['name'] ?? '').trim(), Number(form['expiresInDays'])];
  if (form['kind'] !== 'some') return { name, expiresInDays: days };
  const can = RIGHT_NAMES.filter((right) => boxOf(right) in form);
  const allow = readAllow(form);
  const asks = form['access'] === 'ask' && allow.length > 0;
  return {
    ...{ name, expiresInDays: Math.min(days, TOKEN_DAYS.mostRestricted), can, allow },
    ...(asks ? { writes: 'ask' as const } : {}),
  };
};

/** A connection that a token can be made for. */
export type Place = { provider: string; connection: string; name: string; account: { label: string | null } };

const providerFields = (form: TokenForm, places: readonly Place[]): Html => {
  if (places.length === 0)
    return html`<p class="hint">No account is connected yet, so there is no provider that it could call.</p>`;
  const options = places.slice(0, MOST_PLACES).map(({ provider, connection, name, account }) => ({
    value: `${provider}:${connection}`,
    label: `${name} (${account.label ?? connection})`,
  }));
  return html`${choice({
    ...{ name: 'place', label: 'Call a provider', value: form['place'] ?? '' },
    options: [{ value: '', label: 'None' }, ...options],
    hint:
      places.length > MOST_PLACES
        ? `These are the first ${MOST_PLACES} accounts. For another one, use the API or the command line.`
        : 'Through the proxy, for the account that is connected now.',
  })}
${choice({
  ...{ name: 'access', label: 'What it may send there', value: form['access'] ?? 'read' },
  options: [
    { value: 'read', label: 'Only requests that read' },
    { value: 'ask', label: 'Requests that read. It asks an admin before it sends anything else' },
    { value: 'everything', label: 'Requests that read and that change something' },
  ],
})}
${textArea({
  ...{ name: 'paths', label: 'Paths', value: form['paths'] ?? '', rows: 3 },
  hint: 'One on each line, such as /repos/**. An asterisk stands for one segment, and two at the end for the rest. Leave this empty for every path.',
})}`;
};

/** The part of the form that says what the token can do. `places`: null for a member, who can't give the proxy. */
export const rightsFieldset = (form: TokenForm, places: readonly Place[] | null): Html =>
  html`<fieldset class="rights"><legend>What it can do</legend>
${radio('kind', 'all', form['kind'] ?? 'all', 'Everything that you can do')}
${radio('kind', 'some', form['kind'] ?? 'all', 'Only what you choose: for a script or an agent')}
<div class="rights-list">${RIGHT_NAMES.map((right) =>
    checkBox({ name: boxOf(right), label: RIGHT_WORDS[right], checked: boxOf(right) in form }),
  )}
${places && providerFields(form, places)}
<p class="hint">For several providers, use the API or the command line.</p></div></fieldset>
`;
