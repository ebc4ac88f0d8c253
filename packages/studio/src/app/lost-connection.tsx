import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { isConnectionLost, isSignatureMissing, onConnectionChange } from '../wire/connection.ts';
import { Link } from '../ui/link.tsx';
import { catalog } from './catalog.ts';

/** The time between two attempts while the server does not answer. */
const retryMs = 2_000;

/** One line on a server that takes signed requests only, until a sign-in. */
export function MissingSignature(): ReactNode {
  if (!useSyncExternalStore(onConnectionChange, isSignatureMissing)) return null;
  return (
    <aside className="lost-connection" aria-label="Signatures required">
      <span role="status">
        <b>× This server requires signed requests.</b> <Link to={{ view: 'settings' }}>Sign in</Link> with an access
        key, or run <code>npx singlet studio --endpoint {location.origin}</code>, which uses the credentials of your
        environment.
      </span>
    </aside>
  );
}

/** One line while the server does not answer. What is shown stays, and streams continue where they were. */
export function LostConnection(): ReactNode {
  const isLost = useSyncExternalStore(onConnectionChange, isConnectionLost);
  useEffect(() => {
    if (!isLost) return undefined;
    const timer = setInterval(() => document.hidden || void catalog.refresh(), retryMs);
    return () => clearInterval(timer);
  }, [isLost]);
  if (!isLost) return null;
  return (
    <aside className="lost-connection" aria-label="Connection lost">
      <span role="status">
        <b>× The server does not answer.</b> The page still shows what it read before.
      </span>{' '}
      <button type="button" className="button plain" onClick={() => void catalog.refresh()}>
        Try again
      </button>
    </aside>
  );
}
