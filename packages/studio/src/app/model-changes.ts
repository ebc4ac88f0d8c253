import { useEffect } from 'react';
import { models } from './models.ts';

/** Reads the models again when the server reports that a file has changed, while a view is open that shows them. */
export function useModelChanges(isServed: boolean): void {
  useEffect(() => {
    if (!isServed) return undefined;
    const events = new EventSource('/_singlet/events?topics=model');
    const refresh = (): void => void models.refresh();
    events.addEventListener('model', refresh);
    // Picks up changes from before the connection existed, or while it was lost.
    events.addEventListener('open', refresh);
    return () => events.close();
  }, [isServed]);
}
