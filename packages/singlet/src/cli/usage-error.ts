/** An error that the user of the command line can fix. Its message is one clear sentence, printed without a stack. */
export class UsageError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'UsageError';
  }
}
