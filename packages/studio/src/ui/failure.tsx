import type { ReactNode } from 'react';
import { NotToldError } from '../wire/inspect.ts';

/**
 * An error, where it occurred: the service's error name and message unchanged, and the possible actions. What an endpoint that is not Singlet does
 * not have is not an error, and is said as a sentence.
 */
export function Failure({
  error,
  onRetry,
  children,
}: {
  readonly error: Error;
  readonly onRetry?: (() => void) | undefined;
  readonly children?: ReactNode;
}): ReactNode {
  // Another attempt would not help, and nothing has failed.
  if (error instanceof NotToldError) {
    return (
      <p className="not-told quiet" role="status">
        {error.message}
      </p>
    );
  }
  return (
    <section className="failure" role="alert">
      <h2>× {error.name}</h2>
      <p className="mono">{error.message}</p>
      {children}
      {onRetry && (
        <button type="button" className="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </section>
  );
}
