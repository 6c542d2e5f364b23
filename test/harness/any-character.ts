import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };

/**
 * Any code point, as the unit of `fc.string`. fast-check's own unit `binary` has the same ones, but first makes a table of
 * all of them, which takes each process half a second.
 */
export const anyCharacter = fc.nat({ max: 0x10ffff - SURROGATES.count }).map(
  (place) => String.fromCodePoint(place < SURROGATES.first ? place : place + SURROGATES.count),
  (character) => {
    const [code, ...others] = Array.from(String(character), (one) => one.codePointAt(0) ?? 0);
    if (code === undefined || others.length > 0) throw new Error('This is not one character.');
    return code < SURROGATES.first ? code : code - SURROGATES.count;
  },
);
