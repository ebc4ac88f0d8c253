import type { ReactNode } from 'react';
import type { StreamStatus } from '../wire/event-stream.ts';

/** Shows whether live updates are on. */
export function LiveSign({
  status,
  isPaused,
}: {
  readonly status: StreamStatus;
  readonly isPaused: boolean;
}): ReactNode {
  const word = isPaused ? 'paused' : status === 'live' ? 'live' : status === 'lost' ? 'not connected' : 'connecting';
  return (
    <span className="pill" role="status">
      <span className={status === 'live' && !isPaused ? 'dot' : status === 'lost' ? 'dot lost' : 'dot idle'} />
      {word}
    </span>
  );
}
