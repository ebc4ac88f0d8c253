/** Something the person at the command line can put right: its message is one clear sentence, and no stack follows it. */
export class UsageError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'UsageError';
  }
}
