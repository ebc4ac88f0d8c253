import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type Prometheus from 'prom-client';
import type { Engine, TableGauges } from '../../engine/index.ts';
import type { RequestEvent } from '../../server/index.ts';
import type { Store } from '../../storage/index.ts';
import { metricList, type MetricDefinition, type MetricName } from './metric-list.ts';

/** The metrics of one process, in a form in which those of several can be combined. */
export type MetricValues = readonly object[];

/** The measured parts of a server, other than its requests. */
export interface MeasuredServer {
  readonly engine: Pick<Engine, 'inspection' | 'replicationReport'>;
  readonly store: Pick<Store, 'checkpointLag'>;
  /** The data directory; undefined for data in memory. */
  readonly directory: string | undefined;
  readonly nowMs: () => number;
}

/** The maximum number of tables with metrics: most metrics have a line for each of them. */
export const measuredTablesMax = 200;

/** Seconds. From an answer served from memory to a scan that waits. */
const durationBuckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** How often the event loop delay is sampled, milliseconds. */
const delayResolutionMs = 10;

const throttlingErrors: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
]);

/**
 * Counts the requests of one process, and measures everything else on request, so a server that is never queried maintains only the counters.
 *
 * `prom-client` stores and formats the values; it is loaded if metrics are enabled. Decision 0084 says why, decision 0099 which package.
 */
export class ServerMetrics {
  readonly #prometheus: typeof Prometheus;
  readonly #registry: Prometheus.Registry;
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: delayResolutionMs });
  readonly #counters = new Map<MetricName, Prometheus.Counter>();
  readonly #gauges = new Map<MetricName, Prometheus.Gauge>();
  readonly #durations: Prometheus.Histogram;
  #server: MeasuredServer | undefined;

  constructor(prometheus: typeof Prometheus) {
    this.#prometheus = prometheus;
    this.#registry = new prometheus.Registry();
    const registers = [this.#registry];
    let durations: Prometheus.Histogram | undefined;
    for (const [name, definition] of Object.entries(metricList) as [MetricName, MetricDefinition][]) {
      const { type, help, labels, aggregation: aggregator } = definition;
      const configuration = { name, help, labelNames: [...labels], registers, aggregator };
      if (type === 'counter') this.#counters.set(name, new prometheus.Counter(configuration));
      else if (type === 'gauge') this.#gauges.set(name, new prometheus.Gauge(configuration));
      else durations = new prometheus.Histogram({ ...configuration, buckets: durationBuckets });
    }
    if (durations === undefined) throw new TypeError('the list of metrics has a histogram of durations');
    this.#durations = durations;
    this.#delay.enable();
  }

  /** Sets what else is measured, once it exists. */
  measure(server: MeasuredServer): void {
    this.#server = server;
  }

  /** Counts a request. Its labels are names of actions and errors, of which there are few; a missing name becomes `none`. */
  observe({ action = 'none', status, error, durationMs, requestBytes, responseBytes }: RequestEvent): void {
    this.#counter('singlet_requests_total').inc({ action, status: String(status), error: error ?? '' });
    this.#durations.observe({ action }, durationMs / 1000);
    this.#counter('singlet_request_bytes_total').inc({ action }, requestBytes);
    this.#counter('singlet_response_bytes_total').inc({ action }, responseBytes);
    if (error !== undefined && throttlingErrors.has(error)) {
      this.#counter('singlet_throttled_requests_total').inc({ action, error });
    }
  }

  /** The current values of this process. */
  async values(): Promise<MetricValues> {
    for (const gauge of this.#gauges.values()) gauge.reset();
    this.#measureProcess();
    if (this.#server !== undefined) await this.#measureServer(this.#server);
    return this.#registry.getMetricsAsJSON();
  }

  /** The page for several processes, in the text format of Prometheus. */
  async page(ofProcesses: readonly MetricValues[]): Promise<{ readonly contentType: string; readonly text: string }> {
    // From `getMetricsAsJSON`, perhaps of another process.
    const values = ofProcesses as unknown as Parameters<typeof Prometheus.AggregatorRegistry.aggregate>[0];
    const all = this.#prometheus.AggregatorRegistry.aggregate(values);
    return { contentType: this.#registry.contentType, text: await all.metrics() };
  }

  stop(): void {
    this.#delay.disable();
  }

  #measureProcess(): void {
    const delay = this.#gauge('singlet_event_loop_delay_seconds');
    for (const quantile of ['0.5', '0.99', '1']) delay.set({ quantile }, this.#delaySeconds(Number(quantile)));
    this.#delay.reset();
    const { user, system } = process.cpuUsage();
    this.#total('singlet_process_cpu_seconds_total', {}, (user + system) / 1e6);
    this.#gauge('singlet_process_resident_bytes').set(process.memoryUsage.rss());
    this.#gauge('singlet_workers').set(1);
  }

  /** The histogram records the intervals between samples; without a delay they equal the resolution. */
  #delaySeconds(quantile: number): number {
    const ns = quantile === 1 ? this.#delay.max : this.#delay.percentile(quantile * 100);
    return Math.max(0, ns / 1e9 - delayResolutionMs / 1e3);
  }

  async #measureServer({ engine, store, directory, nowMs }: MeasuredServer): Promise<void> {
    const [data, ...logs] = await Promise.all(['data.mdb', 'log-0', 'log-1'].map((name) => fileBytes(directory, name)));
    this.#gauge('singlet_data_file_bytes').set(data ?? 0);
    this.#gauge('singlet_log_file_bytes').set(logs.reduce((sum, bytes) => sum + bytes, 0));
    const lag = store.checkpointLag?.();
    this.#gauge('singlet_checkpoint_lag_bytes').set(lag?.bytes ?? 0);
    this.#gauge('singlet_checkpoint_lag_seconds').set((lag?.ageMs ?? 0) / 1000);
    for (const { accountId, tableName, from, to, pendingItemCount, lagMs } of await engine.replicationReport()) {
      const labels = { account: accountId, table: tableName, from, to };
      this.#gauge('singlet_replication_pending_items').set(labels, pendingItemCount);
      this.#gauge('singlet_replication_lag_seconds').set(labels, lagMs / 1000);
    }
    this.#counter('singlet_consumed_read_units_total').reset();
    this.#counter('singlet_consumed_write_units_total').reset();
    for (const { accountId, region, tableName, resources, expired, ...streams } of await (
      await engine.inspection()
    ).tableGauges(measuredTablesMax)) {
      const labels = { account: accountId, region, table: tableName };
      for (const [index, { itemCount, sizeBytes, reads, writes }] of resources) {
        const ofResource = { ...labels, index };
        this.#gauge('singlet_items').set(ofResource, itemCount);
        this.#gauge('singlet_item_bytes').set(ofResource, sizeBytes);
        this.#counter('singlet_consumed_read_units_total').inc(ofResource, reads.consumedUnits);
        this.#counter('singlet_consumed_write_units_total').inc(ofResource, writes.consumedUnits);
      }
      this.#measureStreams(labels, streams);
      if (expired === undefined) continue;
      const { count, oldestEpochMs } = expired;
      this.#gauge('singlet_expired_items').set(labels, count);
      const seconds = oldestEpochMs === null ? 0 : Math.max(0, nowMs() - oldestEpochMs) / 1000;
      this.#gauge('singlet_oldest_expired_item_seconds').set(labels, seconds);
    }
  }

  #measureStreams(
    labels: Record<string, string>,
    {
      streamRecords,
      streamReaders,
      kinesisLagMs,
    }: Pick<TableGauges, 'streamRecords' | 'streamReaders' | 'kinesisLagMs'>,
  ): void {
    if (streamRecords !== undefined) this.#gauge('singlet_stream_records').set(labels, streamRecords);
    for (const { name, unread, behindMs } of streamReaders) {
      const ofReader = { ...labels, reader: name };
      this.#gauge('singlet_stream_unread_records').set(ofReader, unread);
      this.#gauge('singlet_stream_lag_seconds').set(ofReader, (behindMs ?? 0) / 1000);
    }
    if (kinesisLagMs !== undefined) this.#gauge('singlet_kinesis_lag_seconds').set(labels, kinesisLagMs / 1000);
  }

  /** Sets a counter to a total that is maintained elsewhere. */
  #total(name: MetricName, labels: Record<string, string>, total: number): void {
    const counter = this.#counter(name);
    counter.reset();
    counter.inc(labels, total);
  }

  #counter(name: MetricName): Prometheus.Counter {
    return this.#counters.get(name) as Prometheus.Counter; // by the metric list
  }

  #gauge(name: MetricName): Prometheus.Gauge {
    return this.#gauges.get(name) as Prometheus.Gauge; // the same
  }
}

/** @returns 0 for a missing file. */
async function fileBytes(directory: string | undefined, name: string): Promise<number> {
  if (directory === undefined) return 0;
  try {
    return (await stat(join(directory, name))).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
