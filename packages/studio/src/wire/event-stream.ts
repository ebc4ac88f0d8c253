// Events of the server as they happen, `GET /_singlet/events`. The browser reconnects by itself, and sends its last position.

export type StreamStatus = 'connecting' | 'live' | 'lost';

interface StreamOptions {
  readonly topics: readonly string[];
  /** Tables whose stream records are requested. */
  readonly tables?: readonly string[];
  readonly onEvent: (topic: string, data: unknown) => void;
  readonly onStatus: (status: StreamStatus) => void;
}

/** Follows events until the returned function is called. `open` is called on each connection, including reconnections. */
export function followEvents({ topics, tables = [], onEvent, onStatus }: StreamOptions): () => void {
  const parameters = new URLSearchParams({ topics: topics.join(',') });
  if (tables.length > 0) parameters.set('tables', tables.join(','));
  const source = new EventSource(`/_singlet/events?${parameters.toString()}`);
  for (const topic of ['open', 'gap', ...topics]) {
    source.addEventListener(topic, (event) => {
      // The connection itself has an event of the same name, without data.
      const { data } = event as MessageEvent<string | undefined>;
      if (data === undefined) return;
      onStatus('live');
      onEvent(topic, JSON.parse(data));
    });
  }
  source.addEventListener('error', () => onStatus(source.readyState === EventSource.CLOSED ? 'lost' : 'connecting'));
  return () => source.close();
}
