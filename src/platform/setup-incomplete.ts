/** This process lacks a setting that the database needs. Others may have it, so a caller can try again. */
export class SetupIncomplete extends Error {
  override readonly name: string = 'SetupIncomplete';
}
