import type { ReactNode } from 'react';

/** An error, where it occurred: the service's error name and message unchanged, and the possible actions. */
export function Failure({
  error,
  onRetry,
  children,
}: {
  readonly error: Error;
  readonly onRetry?: (() => void) | undefined;
  readonly children?: ReactNode;
}): ReactNode {
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
