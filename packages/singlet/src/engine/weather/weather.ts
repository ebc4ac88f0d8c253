import type { Awaitable } from '../../values/awaitable.ts';
import {
  DynamoError,
  TransactionCanceledException,
  TransactionConflictException,
  transactionConflict,
} from '../../values/service-error.ts';
import type { Store } from '../../storage/store.ts';
import { SeededRandom } from '../../randomness/seeded-random.ts';
import type { EngineEnvironment } from '../environment.ts';
import { type Reads, RecentPast } from './recent-past.ts';
import {
  checkForecast,
  forecastInSettings,
  settingsOf,
  type WeatherForecast,
  type WeatherSettings,
} from './weather-settings.ts';

/** How often each kind of weather has acted, by table. */
export interface WeatherReport {
  /** The forecast in force. */
  readonly forecast: WeatherForecast;
  /** How often each kind has happened since the forecast was set, by table. */
  readonly acted: Readonly<Record<string, Readonly<Partial<Record<WeatherKind, number>>>>>;
}

/** What can happen to a request; docs/weather.md describes each. */
export type WeatherKind =
  | 'latency'
  | 'internal-error'
  | 'lost-answer'
  | 'throttle'
  | 'conflict'
  | 'short-page'
  | 'stale-read'
  | 'repeated-records';

/** The members of requests that the weather reads. Each action has some of them. */
interface AnyRequest {
  readonly tableName?: string;
  readonly statement?: string;
  readonly limit?: number;
  readonly shardIterator?: string;
  readonly requestItems?: Readonly<Record<string, unknown>>;
  readonly transactItems?: readonly Readonly<Record<string, { readonly tableName?: string } | undefined>>[];
  readonly transactStatements?: readonly unknown[];
}

const writesOfOneItem: ReadonlySet<string> = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);
const writes: ReadonlySet<string> = new Set([
  ...writesOfOneItem,
  'BatchWriteItem',
  'TransactWriteItems',
  'ExecuteTransaction',
]);
const transactions: ReadonlySet<string> = new Set(['TransactWriteItems', 'TransactGetItems', 'ExecuteTransaction']);
const pages: ReadonlySet<string> = new Set(['Query', 'Scan']);
/** Actions that weather affects: those on items and streams. The control plane and reports are not affected. */
const exposed: ReadonlySet<string> = new Set([
  ...writes,
  ...transactions,
  ...pages,
  'GetItem',
  'BatchGetItem',
  'ExecuteStatement',
  'BatchExecuteStatement',
  'GetRecords',
]);

/** The maximum length of pages that end early. */
const shortPageItemsMax = 5;

/**
 * Applies to requests the effects that the service has occasionally: see {@link WeatherSettings}. The choices follow from a seed and the
 * order of requests. Every effect is logged and counted.
 */
export class Weather {
  readonly #environment: EngineEnvironment;
  readonly #past: RecentPast;
  #forecast: WeatherForecast = {};
  #everywhere: WeatherSettings = settingsOf('clear');
  #byTable: ReadonlyMap<string, WeatherSettings> = new Map();
  #random = new SeededRandom(1);
  #rememberMs = 0;
  readonly #acted = new Map<string, Map<WeatherKind, number>>();

  /** @throws {ValidationException} for an invalid forecast. */
  constructor(store: Store, environment: EngineEnvironment, forecast: WeatherForecast) {
    this.#environment = environment;
    this.#past = new RecentPast(store, environment.clock, () => this.#rememberMs);
    this.change(forecast);
  }

  /** The store that all writes must use, so that earlier states can be shown. */
  get store(): Store {
    return this.#past;
  }

  /** @throws {ValidationException} for an invalid forecast; the weather then does not change. */
  change(forecast: WeatherForecast): void {
    checkForecast(forecast);
    const everywhere = settingsOf(forecast.everywhere ?? 'clear');
    const tables = Object.entries(forecast.tables ?? {}).map(([name, choice]) => [name, settingsOf(choice)] as const);
    this.#everywhere = everywhere;
    this.#byTable = new Map(tables);
    this.#forecast = forecastInSettings(forecast);
    this.#random = new SeededRandom(forecast.seed ?? 1);
    const all = [everywhere, ...tables.map(([, settings]) => settings)];
    this.#rememberMs = Math.max(...all.map(({ staleReadMs, indexLagMs }) => Math.max(staleReadMs, indexLagMs)));
  }

  report(): WeatherReport {
    const acted = Object.fromEntries(
      Array.from(this.#acted, ([table, counts]) => [
        table,
        Object.fromEntries(counts) as Partial<Record<WeatherKind, number>>,
      ]),
    );
    return { forecast: this.#forecast, acted };
  }

  /** Executes a request, or replaces its execution by an effect. */
  async around<Request, Result>(
    action: string,
    request: Request,
    run: (request: Request) => Awaitable<Result>,
  ): Promise<Result> {
    if (!exposed.has(action)) return run(request);
    const any = request as AnyRequest; // missing members are undefined
    const tableName = tableOf(any);
    const settings = this.#settingsOf(tableName);
    const acts = (rate: number, kind: WeatherKind): boolean =>
      rate > 0 && this.#random.chance(rate) && this.#note(kind, action, tableName);
    if (settings.latencyMs > 0 && this.#note('latency', action, tableName)) {
      await this.#environment.tasks.pause(Math.round(this.#random.next() * settings.latencyMs));
    }
    if (acts(settings.internalErrorRate, 'internal-error')) throw internalError();
    if (writesOfOneItem.has(action) && acts(settings.conflictRate, 'conflict')) {
      throw new TransactionConflictException();
    }
    if (transactions.has(action) && acts(settings.conflictRate, 'conflict')) throw this.#cancelled(any);
    const isShort = pages.has(action) && acts(settings.shortPageRate, 'short-page');
    const limit = Math.min(any.limit ?? Infinity, this.#random.integer(1, shortPageItemsMax));
    const result = await run(isShort ? { ...request, limit } : request);
    if (writes.has(action) && acts(settings.lostAnswerRate, 'lost-answer')) throw internalError();
    if (action === 'GetRecords' && acts(settings.repeatedRecordsRate, 'repeated-records')) {
      return { ...result, nextShardIterator: any.shardIterator };
    }
    return result;
  }

  /** Whether the throughput of a key range is exhausted at the moment. */
  throttles(tableName: string): boolean {
    const { throttleRate } = this.#settingsOf(tableName);
    return throttleRate > 0 && this.#random.chance(throttleRate) && this.#note('throttle', undefined, tableName);
  }

  /** The state that an eventually consistent read reads: that of a recent moment. */
  reads(tableName: string, isGlobalIndex: boolean): Reads {
    const { staleReadMs, indexLagMs } = this.#settingsOf(tableName);
    const lagMs = isGlobalIndex ? indexLagMs : staleReadMs;
    if (lagMs === 0) return this.#past;
    const reads = this.#past.at(this.#environment.clock.nowMs() - this.#random.next() * lagMs);
    if (reads !== this.#past) this.#note('stale-read', undefined, tableName);
    return reads;
  }

  /** How long after its expiry time an item is deleted, in milliseconds. */
  expiryDelayMs(tableName: string): number {
    return this.#settingsOf(tableName).expiryDelayMs;
  }

  #settingsOf(tableName: string): WeatherSettings {
    return this.#byTable.get(tableName) ?? this.#everywhere;
  }

  /** The answer if one of the actions of a transaction conflicts with another transaction. */
  #cancelled({ transactItems, transactStatements }: AnyRequest): TransactionCanceledException {
    const count = (transactItems ?? transactStatements ?? []).length;
    const met = this.#random.integer(0, Math.max(0, count - 1));
    return new TransactionCanceledException(
      Array.from({ length: count }, (_, at) => (at === met ? transactionConflict : { code: 'None' })),
    );
  }

  /** Counts and logs. @returns true, for conditions. */
  #note(kind: WeatherKind, action: string | undefined, tableName: string): true {
    const counts = this.#acted.get(tableName) ?? new Map<WeatherKind, number>();
    this.#acted.set(tableName, counts.set(kind, (counts.get(kind) ?? 0) + 1));
    const level = kind === 'latency' ? 'debug' : 'info';
    this.#environment.log({ level, event: 'weather', kind, table: tableName, ...(action !== undefined && { action }) });
    return true;
  }
}

/** The table of a request, or the first of several; '' if the request names none. */
function tableOf({ tableName, requestItems, transactItems }: AnyRequest): string {
  if (tableName !== undefined) return tableName;
  if (requestItems !== undefined) return Object.keys(requestItems)[0] ?? '';
  const [first = {}] = transactItems ?? [];
  return Object.values(first).find((part) => part?.tableName !== undefined)?.tableName ?? '';
}

function internalError(): DynamoError {
  return new DynamoError('InternalServerError', 'Internal server error', { status: 500, retryable: true });
}
