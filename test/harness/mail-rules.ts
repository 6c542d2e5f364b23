// What Gmail, Outlook on Windows (which renders with Word) and Apple Mail have in common. Sources, read in November 2026:
// https://developers.google.com/workspace/gmail/design/css (Gmail's list of properties),
// https://hteumeuleu.com/2020/outlook-rendering-engine (what Word honors on which element).

/** Gmail shows the rest of a longer email only on request. */
export const MOST_MAIL_BYTES = 102 * 1024;

const TEXT = ['color', 'font-family', 'font-size', 'font-weight', 'line-height', 'text-decoration', 'white-space'];
/** Word honors a margin on these, but neither padding nor width. */
const BLOCK = [...TEXT, 'margin', 'background-color'];
const BOX = [
  ...[...BLOCK, 'padding', 'width', 'height', 'border-top', 'text-align', 'vertical-align'],
  // Where they aren't known, corners are square, columns as wide as their content, and long words stick out.
  ...['border-radius', 'max-width', 'table-layout', 'word-break'],
];
/** Only hides the preheader. */
const HIDDEN = ['display', 'max-height', 'overflow', 'mso-hide'];

const PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  body: BLOCK,
  div: [...TEXT, ...HIDDEN],
  p: BLOCK,
  h1: BLOCK,
  h2: BLOCK,
  span: TEXT,
  strong: TEXT,
  a: TEXT,
  table: BOX,
  td: BOX,
  th: BOX,
};

const TABLE = ['role', 'aria-label', 'aria-hidden', 'cellpadding', 'cellspacing', 'border', 'width', 'bgcolor'];
const CELL = ['align', 'valign', 'width', 'height', 'bgcolor', 'colspan', 'scope'];
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  ...{ html: ['lang'], head: [], meta: ['charset', 'name', 'content'], title: [], style: [], br: [], tr: [] },
  ...{ body: ['bgcolor'], div: [], p: [], h1: [], h2: [], span: [], strong: [], a: ['href'] },
  ...{ table: TABLE, td: CELL, th: CELL },
};

const FORBIDDEN = /flex|grid|var\(|calc\(|url\(|@import|position|float|expression|javascript:|light-dark|color-mix/i;

type Tag = { name: string; attributes: Map<string, string>; at: string };

const tagsOf = (markup: string): Tag[] =>
  [...markup.matchAll(/<([a-z][a-z0-9]*)((?:\s+[a-z-]+="[^"]*")*)\s*>/g)].map(([at, name = '', attributes = '']) => ({
    name,
    attributes: new Map(
      [...attributes.matchAll(/([a-z-]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]),
    ),
    at: at.slice(0, 120),
  }));

const stylesOf = (style: string): Map<string, string> =>
  new Map(
    style
      .split(';')
      .filter(Boolean)
      .map((declaration) => {
        const [property = '', value = ''] = declaration.split(/:(.*)/s);
        return [property.trim(), value.trim()];
      }),
  );

const findTagFlaws = ({ name, attributes, at }: Tag): string[] => {
  const allowed = ATTRIBUTES[name];
  if (!allowed) return [`<${name}> is not allowed: ${at}`];
  const flaws = [...attributes.keys()]
    .filter((key) => key !== 'class' && key !== 'style' && !allowed.includes(key))
    .map((key) => `${key} is not allowed: ${at}`);
  const styles = stylesOf(attributes.get('style') ?? '');
  for (const property of styles.keys())
    if (!PROPERTIES[name]?.includes(property)) flaws.push(`${property} is not allowed: ${at}`);
  if (styles.get('background-color') !== attributes.get('bgcolor'))
    flaws.push(`bgcolor and background-color differ: ${at}`);
  if (name === 'table') {
    for (const key of ['cellpadding', 'cellspacing', 'border'])
      if (!attributes.has(key)) flaws.push(`${key} is missing: ${at}`);
    if (!attributes.has('aria-label') && attributes.get('role') !== 'presentation') flaws.push(`has no role: ${at}`);
    if (styles.has('width') && !attributes.has('width')) flaws.push(`has no explicit width: ${at}`);
  }
  if (name === 'a' && !(styles.has('color') && /^(?:https?:|tel:|\/|#)/.test(attributes.get('href') ?? '')))
    flaws.push(`is no plain link with a color: ${at}`);
  return flaws;
};

/** Whoever ignores it loses nothing: every rule overrides what is inline. */
const findSheetFlaws = (sheets: readonly string[]): string[] => {
  const [first = '', dark = ''] = sheets;
  const media = /^:root\{[^{}]*\}\n@media \(prefers-color-scheme:dark\)\{((?:[^{}]*\{[^{}]*\})*)\}$/.exec(dark)?.[1];
  if (sheets.length !== 2 || media === undefined) return ['The style sheets are not the two that are expected.'];
  const rules = [...media.matchAll(/(\.[\w-]+)\{([^{}]*)\}/g)].map(([, , rule = '']) => rule);
  return [
    ...(/@/.test(first) ? ['What Gmail may not know belongs into a style sheet of its own.'] : []),
    ...rules
      .filter((rule) => !/^(?:color|background-color|border-color):#[0-9a-f]{6}!important$/.test(rule))
      .map((rule) => `A rule for dark mode does more than change a color: ${rule}`),
  ];
};

/** What would not look right somewhere. */
export const findMailFlaws = (markup: string): string[] => {
  const sheets = [...markup.matchAll(/<style>(.*?)<\/style>/gs)].map(([, sheet = '']) => sheet);
  const body = markup.replace(/<style>.*?<\/style>/gs, '');
  const tags = tagsOf(body);
  const flaws = [...tags.flatMap(findTagFlaws), ...findSheetFlaws(sheets)];
  const unread = body.match(/<[a-z!][^>]*>/g)?.length ?? 0;
  if (unread !== tags.length + 1) flaws.push(`${unread - tags.length - 1} tags could not be read.`);
  const styles = tags.map(({ attributes }) => attributes.get('style') ?? '').join(';');
  if (FORBIDDEN.test(styles) || FORBIDDEN.test(sheets.join('').replaceAll('prefers-color-scheme', '')))
    flaws.push('A style uses what some clients drop.');
  for (const name of ['color-scheme', 'supported-color-schemes'])
    if (!body.includes(`<meta name="${name}" content="light dark">`)) flaws.push(`The meta ${name} is missing.`);
  if (!/<body[^>]*>\s*<div style="display:none;[^"]*mso-hide:all[^"]*">[^<]+<\/div>/.test(body))
    flaws.push('There is no preheader.');
  if (!/<table[^>]*width="600"[^>]*max-width:100%/.test(body)) flaws.push('The sheet has no width.');
  const open: string[] = [];
  for (const [, end, name = ''] of body.matchAll(/<(\/?)([a-z][a-z0-9]*)/g)) {
    if (end && open.pop() !== name) flaws.push(`</${name}> closes nothing.`);
    else if (!end && !['meta', 'br'].includes(name)) open.push(name);
  }
  if (open.length > 0) flaws.push(`Not closed: ${open.join(', ')}`);
  const bytes = Buffer.byteLength(markup);
  if (bytes >= MOST_MAIL_BYTES) flaws.push(`${bytes} bytes are too many.`);
  return flaws;
};
