import { UsageError } from '../usage-error.ts';
import { MissingPackageError } from '../../values/missing-package.ts';
import { posting } from '../webhook.ts';
import type { Sink } from './sink.ts';
import type { SinkLocation } from './sink-location.ts';

export interface SinkOptions {
  /** Signs requests to a webhook, and authenticates to a search index. */
  readonly secret: string | undefined;
  readonly timeoutMs: number;
  /** The region of queues and topics. */
  readonly region: string;
}

/** @throws {UsageError} if the sink cannot be opened. */
export async function openSink(location: SinkLocation, options: SinkOptions): Promise<Sink> {
  try {
    return await opened(location, options);
  } catch (error) {
    if (error instanceof MissingPackageError) throw new UsageError(error.message, { cause: error });
    throw new UsageError(`Changes cannot be written to ${names[location.kind]}: ${messageOf(error)}`, { cause: error });
  }
}

const names: Readonly<Record<SinkLocation['kind'], string>> = {
  webhook: 'the webhook',
  postgres: 'PostgreSQL',
  'search index': 'the search index',
  parquet: 'Parquet files',
  queue: 'the queue',
  topic: 'the topic',
};

/** Each sink is loaded on demand. */
async function opened(location: SinkLocation, { secret, timeoutMs, region }: SinkOptions): Promise<Sink> {
  switch (location.kind) {
    case 'webhook':
      return { handler: posting({ url: location.url, secret, timeoutMs }), close: () => Promise.resolve() };
    case 'postgres':
      return (await import('./postgres-sink.ts')).openPostgresSink(location.url, location.table);
    case 'search index':
      return (await import('./search-index-sink.ts')).openSearchIndexSink({ ...location, secret, timeoutMs });
    case 'parquet':
      return (await import('./parquet-sink.ts')).openParquetSink(location.directory);
    case 'queue':
      return (await import('./message-sink.ts')).openQueueSink({ ...location, region });
    case 'topic':
      return (await import('./message-sink.ts')).openTopicSink({ ...location, region });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
