/** A name, `=`, and a value with percent-encoding, as OpenTelemetry's own settings have them. */
const HEADER = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*([^\p{Cc},]*?)\s*$/u;

/** Parses headers like `api-key=secret,x-other=1`. Null if they aren't valid. */
export const parseCollectorHeaders = (text: string): Record<string, string> | null => {
  const parts = text.split(',').map((part) => HEADER.exec(part));
  try {
    const headers = parts.map((part) => [part?.[1] ?? '', decodeURIComponent(part?.[2] ?? '')] as const);
    return headers.every(([name, value]) => name !== '' && !/[^\t\x20-\x7e\x80-\xff]/.test(value))
      ? Object.fromEntries(headers)
      : null;
  } catch {
    return null;
  }
};
