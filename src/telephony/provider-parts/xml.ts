const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Characters that XML 1.0 can't contain, escaped or not. */
const IMPOSSIBLE = /(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu;

export const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(IMPOSSIBLE, '')
    .replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

/** An immutable XML element. */
export type Element = {
  name: string;
  attributes: Readonly<Record<string, string | number | null>>;
  children: readonly (Element | string)[];
};

export const element = (
  name: string,
  attributes: Element['attributes'] = {},
  ...children: Element['children']
): Element => ({ name, attributes, children });

const render = (node: Element | string): string => {
  if (typeof node === 'string') return escapeXml(node);
  const attributes = Object.entries(node.attributes)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('');
  const inner = node.children.map(render).join('');
  return inner === '' ? `<${node.name}${attributes}/>` : `<${node.name}${attributes}>${inner}</${node.name}>`;
};

export const renderXml = (root: Element): string => `<?xml version="1.0" encoding="UTF-8"?>${render(root)}`;
