import assert from 'node:assert/strict';

/** Every element is closed in order, every attribute is quoted, and nothing is left unescaped. */
export const assertWellFormed = (svg: string): void => {
  const open: string[] = [];
  const rest = svg.replace(/<(\/?)([a-z]+)((?: [a-zA-Z-]+="[^"<&]*")*)(\/?)>/g, (_, end, name, _attributes, alone) => {
    if (end) assert.equal(open.pop(), name);
    else if (!alone) open.push(name);
    return '';
  });
  assert.deepEqual(open, []);
  assert.doesNotMatch(rest, /[<>]|&(?!(?:amp|lt|gt|quot|#39);)/);
};
