import { UsageError } from '../usage-error.ts';

/** Something in a template that cannot be deployed, and where it is: `Orders.KeySchema`. */
export class TemplateError extends UsageError {
  /** Names from the outside in; empty for the file as a whole. */
  readonly path: string;

  constructor(path: readonly (string | number)[], message: string) {
    const text = path.join('.');
    super(text === '' ? message : `${text}: ${message}`);
    this.name = 'TemplateError';
    this.path = text;
  }
}
