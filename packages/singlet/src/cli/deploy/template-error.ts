import { UsageError } from '../usage-error.ts';

/** Something in a template that cannot be deployed, and its path: `Orders.KeySchema`. */
export class TemplateError extends UsageError {
  /** Names from the outside in; empty for the whole file. */
  readonly path: string;

  constructor(path: readonly (string | number)[], message: string) {
    const text = path.join('.');
    super(text === '' ? message : `${text}: ${message}`);
    this.name = 'TemplateError';
    this.path = text;
  }
}
