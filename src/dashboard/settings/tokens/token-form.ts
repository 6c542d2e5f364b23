import { RIGHT_NAMES, type Right } from '../../../http/index.ts';
import { Type } from '../../../platform/index.ts';
import { METHODS_TO_ALLOW, TOKEN_DAYS } from '../../../teams/index.ts';

/** The body of the form. It has a checkbox for each right, so its fields are checked after they are read. */
export const TokenFormBody = Type.Record(Type.String({ maxLength: 60 }), Type.String({ maxLength: 12_000 }));
export type TokenForm = Readonly<Record<string, string>>;

/** The name of the checkbox for a right. */
export const boxOfRight = (right: Right): string => `can.${right}`;

const tick = (...rights: Right[]): TokenForm => Object.fromEntries(rights.map((right) => [boxOfRight(right), 'on']));

/** Forms that are filled in for common wishes. */
export const PRESETS = {
  read: { name: '', kind: 'some', ...tick('status', 'calls', 'recordings', 'reports', 'events') },
  provider: { name: '', kind: 'some', access: 'read' },
  ask: { name: '', kind: 'some', access: 'ask' },
  report: { name: 'Weekly report', kind: 'some', ...tick('reports') },
} as const satisfies Record<string, TokenForm>;

export type Preset = keyof typeof PRESETS;

const HOUR = 'hour';

/** How long a token can be valid, in days or for an hour. */
export const LIFETIMES = [
  { value: HOUR, label: '1 hour' },
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: String(TOKEN_DAYS.most), label: '1 year' },
] as const;

/** The lifetime that is chosen at first. */
export const USUAL_LIFETIME = '30';

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

const readCan = (form: TokenForm): Right[] => RIGHT_NAMES.filter((right) => boxOfRight(right) in form);

const readLifetime = ({ expiresInDays: text, kind }: TokenForm) => {
  if (text === HOUR) return { expiresInMinutes: 60 };
  const days = Number(text);
  return { expiresInDays: kind === 'some' ? Math.min(days, TOKEN_DAYS.mostRestricted) : days };
};

/** Reads how long requests of a token that asks wait. */
const readWait = ({ approvalMinutes: text }: TokenForm) =>
  text === undefined ? {} : { approvalMinutes: Number(text) };

/** Reads the form as a request for a token. */
export const readTokenForm = (form: TokenForm) => {
  const common = { name: (form['name'] ?? '').trim(), ...readLifetime(form) };
  if (form['kind'] !== 'some') return common;
  const asks = form['access'] === 'ask' ? { writes: 'ask' as const, ...readWait(form) } : {};
  return { ...common, can: readCan(form), allow: readAllow(form), ...asks };
};

/** What is missing among the rights in a form, and the field that says so. */
export type RightsFlaw = { field: 'can' | 'place'; message: string };

const NOTHING_CHOSEN: RightsFlaw = { field: 'can', message: 'Choose at least one thing that the token can do.' };
const NO_PROVIDER: RightsFlaw = {
  field: 'place',
  message: 'Choose the provider, or leave “What it may do there” at “Only read” and “Paths” empty.',
};

/** Finds a choice that the token would be without: none at all, or one about a provider without the provider. */
export const findRightsFlaw = (form: TokenForm): RightsFlaw | null => {
  const { kind, place = '', access = 'read', paths } = form;
  if (kind !== 'some' || place !== '') return null;
  if (access !== 'read' || readPaths(paths).length > 0) return NO_PROVIDER;
  return readCan(form).length === 0 ? NOTHING_CHOSEN : null;
};
