// Events of the server as they happen, `GET /_singlet/events`. The browser connects again by itself, and says where it was.

export type StreamStatus = 'connecting' | 'live' | 'lost';

interface StreamOptions {
  readonly topics: readonly string[];
  /** Tables whose stream records are wanted. */
  readonly tables?: readonly string[];
  readonly onEvent: (topic: string, data: unknown) => void;
  readonly onStatus: (status: StreamStatus) => void;
}

/** Follows events until the function that is returned is called. `open` comes when it is connected, also again. */
export function followEvents({ topics, tables = [], onEvent, onStatus }: StreamOptions): () => void {
  const parameters = new URLSearchParams({ topics: topics.join(',') });
  if (tables.length > 0) parameters.set('tables', tables.join(','));
  const source = new EventSource(`/_singlet/events?${parameters.toString()}`);
  for (const topic of ['open', 'gap', ...topics]) {
    source.addEventListener(topic, (event) => {
      // Of the connection itself there is an event of the same name, without data.
      const { data } = event as MessageEvent<string | undefined>;
      if (data === undefined) return;
      onStatus('live');
      onEvent(topic, JSON.parse(data));
    });
  }
  source.addEventListener('error', () => onStatus(source.readyState === EventSource.CLOSED ? 'lost' : 'connecting'));
  return () => source.close();
}
