import { ResourceNotFoundException, ValidationException } from '../../values/service-error.ts';
import type { InspectionRequest } from '../../server/index.ts';
import type { Endpoint, InspectServices, ModelServices } from '../endpoint.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { EventAnswer } from './event-answer.ts';
import { type InspectionEvent, type Topic, topics } from './inspection-event.ts';
import { MigrationChanges } from './migration-changes.ts';
import { ModelChanges } from './model-changes.ts';
import { RecordSource } from './record-source.ts';
import { RequestSource } from './request-source.ts';
import { TableSource } from './table-source.ts';
import { WeatherChanges } from './weather-changes.ts';

/** Tables whose records one client may follow. */
const followedTablesMax = 8;

/** How often sources are polled for events, and for changed tables, models, weather and migrations, milliseconds. */
const pollMs = 200;
const slowPollMs = 1_000;

/** A comment is sent after this long without an event, so that connections are not considered dead, milliseconds. */
const heartbeatMs = 15_000;

/**
 * Events as they happen: `?topics=request,record,table,model,weather,migration` (all by default), `?tables=A,B` for the tables whose stream records are sent.
 * Nothing is buffered for a client: events that it has not read yet remain in the request log and in the streams.
 */
export const eventsEndpoint: Endpoint = {
  method: 'GET',
  path: ['events'],
  permission: 'GetEvents',
  async answer(request, services) {
    const asked = topicsOf(request);
    const tables = tablesOf(request);
    return new EventAnswer((signal) => events(services, sourcesOf(services, request, { asked, tables }), signal));
  },
};

/** The events of models and migrations alone, for a page that shows another endpoint: `?topics=model,migration`. */
export const modelEventsEndpoint: Endpoint<ModelServices> = {
  method: 'GET',
  path: ['events'],
  permission: undefined,
  async answer(request, services) {
    const asked = topicsOf(request);
    if ([...asked].some((topic) => topic !== 'model' && topic !== 'migration'))
      throw new ResourceNotFoundException('There are events of models and migrations only: ?topics=model,migration.');
    const slow = [
      ...(asked.has('model') ? [new ModelChanges(services)] : []),
      ...(asked.has('migration') ? [new MigrationChanges(services, request.context)] : []),
    ];
    const sources = { requests: undefined, records: [], slow };
    return new EventAnswer((signal) => events(services, sources, signal));
  },
};

/** Where the events of one client come from. */
interface Sources {
  readonly requests: RequestSource | undefined;
  readonly records: readonly (readonly [string, RecordSource])[];
  readonly slow: readonly { poll(): Promise<readonly InspectionEvent[]> }[];
}

function sourcesOf(
  services: InspectServices,
  { headers, context }: InspectionRequest,
  { asked, tables }: { readonly asked: ReadonlySet<Topic>; readonly tables: readonly string[] },
): Sources {
  const cursor = decodeCursor(headers['last-event-id']);
  const requests = asked.has('request') ? new RequestSource(services, context, cursor.requests) : undefined;
  const records = tables.map(
    (tableName) => [tableName, new RecordSource(services, context, { tableName, cursor })] as const,
  );
  const slow = [
    ...(asked.has('table') ? [new TableSource(services, context)] : []),
    ...(asked.has('model') && services.models !== undefined ? [new ModelChanges(services)] : []),
    ...(asked.has('migration') && services.models !== undefined ? [new MigrationChanges(services, context)] : []),
    ...(asked.has('weather') ? [new WeatherChanges(services, context)] : []),
  ];
  return { requests, records, slow };
}

async function* events(
  services: Pick<ModelServices, 'nowMs' | 'pause'>,
  { requests, records, slow }: Sources,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let sentAtMs = services.nowMs();
  let slowAtMs = -Infinity;
  const position = (): string =>
    encodeCursor({
      ...(requests !== undefined && { requests: requests.position }),
      ...(records.length > 0 && {
        shards: Object.fromEntries(records.map(([name, source]) => [name, source.position])),
      }),
    });
  // Events from before the client knows that it is listening are skipped.
  for (const [, source] of records) for (const event of await source.poll()) yield textOf(event, position);
  for (const source of slow) await source.poll();
  await requests?.begin();
  yield `retry: 1000\nid: ${position()}\nevent: open\ndata: {}\n\n`;
  while (!signal.aborted) {
    const found: InspectionEvent[] = [];
    if (requests !== undefined) found.push(...(await requests.poll()));
    for (const [, source] of records) found.push(...(await source.poll()));
    if (services.nowMs() - slowAtMs >= slowPollMs) {
      slowAtMs = services.nowMs();
      for (const source of slow) found.push(...(await source.poll()));
    }
    for (const event of found) yield textOf(event, position);
    if (found.length > 0) {
      sentAtMs = services.nowMs();
    } else if (services.nowMs() - sentAtMs >= heartbeatMs) {
      yield ': still here\n\n';
      sentAtMs = services.nowMs();
    }
    await services.pause(pollMs, signal);
  }
}

function textOf({ topic, data, seen }: InspectionEvent, position: () => string): string {
  seen?.();
  return `id: ${position()}\nevent: ${topic}\ndata: ${JSON.stringify(data)}\n\n`;
}

function topicsOf({ query }: InspectionRequest): ReadonlySet<Topic> {
  const names = query.get('topics')?.split(',') ?? topics;
  const known: readonly string[] = topics;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new ValidationException(
      `?topics= takes some of ${topics.join(',')}, not ${JSON.stringify(unknown.slice(0, 40))}.`,
    );
  }
  return new Set(names as readonly Topic[]); // checked
}

function tablesOf(request: InspectionRequest): readonly string[] {
  if (!topicsOf(request).has('record')) return [];
  const names = [...new Set((request.query.get('tables') ?? '').split(',').filter((name) => name !== ''))];
  if (names.length > followedTablesMax) {
    throw new ValidationException(`?tables= takes at most ${followedTablesMax} tables.`);
  }
  return names;
}
