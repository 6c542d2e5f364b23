/** The settings can't be used. Each line names one setting and says what is expected. */
export class ConfigRefused extends Error {
  override readonly name = 'ConfigRefused';
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}
