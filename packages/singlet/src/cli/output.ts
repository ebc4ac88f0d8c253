/** The exit code of a program that the signal SIGPIPE ends. Node.js ignores the signal. */
const EXIT_CODE_OF_SIGPIPE = 141;

let onOutputFailed: (error: NodeJS.ErrnoException) => void = endProcess;

/**
 * Handles output that cannot be written, for the whole process. When the reader of standard output has gone, as in `singlet … | head -1`, the
 * process ends. When a file or disk is full, it also says so. A closed standard error has no effect.
 */
export function watchOutput(): void {
  onOutputFailed = endProcess;
  process.stdout.on('error', (error) => onOutputFailed(error));
  process.stderr.on('error', () => undefined);
  // A program that ends itself right after it has written, as for --help, ends before the event.
  process.on('exit', () => {
    if (process.stdout.errored !== null) onOutputFailed(process.stdout.errored);
  });
}

/** Calls `action` instead when standard output cannot be written: for commands that stop gracefully, or not at all. */
export function whenOutputFails(action: () => void): void {
  onOutputFailed = action;
}

function endProcess({ code, message }: NodeJS.ErrnoException): void {
  onOutputFailed = () => undefined;
  if (code === 'EPIPE') process.exit(EXIT_CODE_OF_SIGPIPE);
  process.stderr.write(`singlet: The output cannot be written: ${message}.\n`);
  process.exit(1);
}
