import { useEffect } from 'react';
import { followEvents } from '../wire/event-stream.ts';
import { models } from './models.ts';

/** Reads the models again when the server reports that a file has changed, while a view is open that shows them. */
export function useModelChanges(isServed: boolean): void {
  useEffect(() => {
    if (!isServed) return undefined;
    // The connection's own event picks up changes from before it existed, or while it was lost.
    return followEvents({ topics: ['model'], onEvent: () => void models.refresh(), onStatus: () => undefined });
  }, [isServed]);
}
