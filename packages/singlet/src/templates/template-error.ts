/** Something in a template that cannot be read, and its path: `Orders.KeySchema`. Its message is one clear sentence. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  /** Names from the outside in; empty for the whole file. */
  readonly path: string;

  constructor(path: readonly (string | number)[], message: string) {
    const text = path.join('.');
    super(text === '' ? message : `${text}: ${message}`);
    this.path = text;
  }
}
