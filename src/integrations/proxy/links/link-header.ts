const TARGET = /[\s,]*<([^<>]*)>/y;
const PARAMETER = /\s*;\s*((?:[^\s"=;,<>]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;<>]*))?)?)/y;
const END = /\s*(?=,|$)/y;

/** Whether a parameter contains no angle brackets. Many libraries look for `<target>` even inside a parameter. */
const isHarmless = (parameter: string): boolean => parameter !== '' && !/[<>]/.test(parameter);

/**
 * Replaces the targets in a `Link` header (RFC 8288). Leaves out links whose target becomes null, and everything after
 * the first part that can't be parsed. Null if no link is left.
 */
export const rewriteLinkHeader = (value: string, rewrite: (target: string) => string | null): string | null => {
  const links: string[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(value);
    if (!found) return null;
    at = pattern.lastIndex;
    return found[1] ?? '';
  };
  for (let target = take(TARGET); target !== null; target = take(TARGET)) {
    const parameters: string[] = [];
    for (let next = take(PARAMETER); next !== null; next = take(PARAMETER)) parameters.push(next.trim());
    if (take(END) === null) break;
    const rewritten = rewrite(target);
    if (rewritten !== null) links.push([`<${rewritten}>`, ...parameters.filter(isHarmless)].join('; '));
  }
  return links.length > 0 ? links.join(', ') : null;
};
