import { isSigning, signedFetch } from './signed-fetch.ts';

// Events of the server as they happen, `GET /_singlet/events`. The connection is opened again by itself, with its last position.

export type StreamStatus = 'connecting' | 'live' | 'lost';

interface StreamOptions {
  readonly topics: readonly string[];
  /** Tables whose stream records are requested. */
  readonly tables?: readonly string[];
  readonly onEvent: (topic: string, data: unknown) => void;
  readonly onStatus: (status: StreamStatus) => void;
}

/** What the browser's own source and the one that signs have in common. */
type EventSourceLike = Pick<EventSource, 'readyState' | 'close'> & {
  addEventListener(type: string, listener: (event: { readonly data?: unknown }) => void): void;
};

/** Follows events until the returned function is called. `open` is called on each connection, including reconnections. */
export function followEvents(options: StreamOptions): () => void {
  const { topics, tables = [] } = options;
  const parameters = new URLSearchParams({ topics: topics.join(',') });
  if (tables.length > 0) parameters.set('tables', tables.join(','));
  const path = `/_singlet/events?${parameters.toString()}`;
  if (!isSigning()) {
    const source = new EventSource(path);
    listen(source, options);
    return () => source.close();
  }
  let source: EventSourceLike | undefined;
  let isOver = false;
  const open = async (): Promise<void> => {
    source = await signedSource(path);
    if (isOver) source.close();
    else listen(source, options);
  };
  open().catch(() => options.onStatus('lost'));
  return () => {
    isOver = true;
    source?.close();
  };
}

/** The browser's own cannot sign. Each connection has a signature of its own. */
async function signedSource(path: string): Promise<EventSourceLike> {
  const { EventSource: SigningSource } = await import('eventsource');
  return new SigningSource(new URL(path, location.origin), {
    fetch: async (_, request) => await signedFetch(path, request),
  });
}

function listen(source: EventSourceLike, { topics, onEvent, onStatus }: StreamOptions): void {
  for (const topic of ['open', 'gap', ...topics]) {
    // The connection itself has an event of the same name, without data.
    source.addEventListener(topic, ({ data }) => {
      if (typeof data !== 'string') return;
      onStatus('live');
      onEvent(topic, JSON.parse(data));
    });
  }
  source.addEventListener('error', () => onStatus(source.readyState === EventSource.CLOSED ? 'lost' : 'connecting'));
}
