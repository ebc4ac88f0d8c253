import { useEffect } from 'react';
import { serverName } from './server-name.ts';

/** Names the view, with its table if it has one, and the server in the title of the browser's tab. */
export function usePageTitle(view: string): void {
  useEffect(() => {
    document.title = `${view} · ${serverName()} · Singlet`;
  }, [view]);
}
