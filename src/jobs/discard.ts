/** Thrown by a handler whose job is pointless to try again: it goes straight to the dead, with this reason. */
export class Discard extends Error {
  override readonly name = 'Discard';
}
