/**
 * Every metric of a server, as in `/metrics`, in the order of docs/metrics.md. Names and units follow the conventions of Prometheus: base
 * units, and counters end in `_total`.
 */

/** How the values of several workers are combined. Values that they read from the store are the same in all. */
type Aggregation = 'sum' | 'max' | 'first';

export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  readonly aggregation: Aggregation;
}

export type MetricName =
  | 'singlet_requests_total'
  | 'singlet_request_duration_seconds'
  | 'singlet_request_bytes_total'
  | 'singlet_response_bytes_total'
  | 'singlet_throttled_requests_total'
  | 'singlet_consumed_read_units_total'
  | 'singlet_consumed_write_units_total'
  | 'singlet_items'
  | 'singlet_item_bytes'
  | 'singlet_expired_items'
  | 'singlet_oldest_expired_item_seconds'
  | 'singlet_stream_records'
  | 'singlet_stream_unread_records'
  | 'singlet_stream_lag_seconds'
  | 'singlet_kinesis_lag_seconds'
  | 'singlet_replication_pending_items'
  | 'singlet_replication_lag_seconds'
  | 'singlet_data_file_bytes'
  | 'singlet_log_file_bytes'
  | 'singlet_checkpoint_lag_bytes'
  | 'singlet_checkpoint_lag_seconds'
  | 'singlet_event_loop_delay_seconds'
  | 'singlet_process_resident_bytes'
  | 'singlet_process_cpu_seconds_total'
  | 'singlet_workers';

const resourceLabels = ['account', 'region', 'table', 'index'];
const tableLabels = ['account', 'region', 'table'];

export const metricList: Readonly<Record<MetricName, MetricDefinition>> = {
  singlet_requests_total: {
    type: 'counter',
    help: 'Requests that were answered, by action, HTTP status and error',
    labels: ['action', 'status', 'error'],
    aggregation: 'sum',
  },
  singlet_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from the beginning of a request to its answer',
    labels: ['action'],
    aggregation: 'sum',
  },
  singlet_request_bytes_total: {
    type: 'counter',
    help: 'Bytes of the bodies of requests, as they were sent',
    labels: ['action'],
    aggregation: 'sum',
  },
  singlet_response_bytes_total: {
    type: 'counter',
    help: 'Bytes of the bodies of answers',
    labels: ['action'],
    aggregation: 'sum',
  },
  singlet_throttled_requests_total: {
    type: 'counter',
    help: 'Requests that were refused for their rate, by action and error',
    labels: ['action', 'error'],
    aggregation: 'sum',
  },
  singlet_consumed_read_units_total: {
    type: 'counter',
    help: 'Read capacity units consumed; the index is empty for the table and its local indexes',
    labels: resourceLabels,
    aggregation: 'sum',
  },
  singlet_consumed_write_units_total: {
    type: 'counter',
    help: 'Write capacity units consumed; the index is empty for the table and its local indexes',
    labels: resourceLabels,
    aggregation: 'sum',
  },
  singlet_items: {
    type: 'gauge',
    help: 'Items in a table or index',
    labels: resourceLabels,
    aggregation: 'first',
  },
  singlet_item_bytes: {
    type: 'gauge',
    help: 'Bytes of these items, as DynamoDB counts them',
    labels: resourceLabels,
    aggregation: 'first',
  },
  singlet_expired_items: {
    type: 'gauge',
    help: 'Items whose time to live has passed and that are still there, counted up to 10,000',
    labels: tableLabels,
    aggregation: 'first',
  },
  singlet_oldest_expired_item_seconds: {
    type: 'gauge',
    help: 'How long the item that expired first has waited to be deleted; 0 without one',
    labels: tableLabels,
    aggregation: 'first',
  },
  singlet_stream_records: {
    type: 'gauge',
    help: 'Records of the stream that can be read',
    labels: tableLabels,
    aggregation: 'first',
  },
  singlet_stream_unread_records: {
    type: 'gauge',
    help: 'Records of the stream that a reader has no checkpoint for yet, by the table of its checkpoints',
    labels: [...tableLabels, 'reader'],
    aggregation: 'first',
  },
  singlet_stream_lag_seconds: {
    type: 'gauge',
    help: 'Age of the oldest of these records; 0 without one',
    labels: [...tableLabels, 'reader'],
    aggregation: 'first',
  },
  singlet_kinesis_lag_seconds: {
    type: 'gauge',
    help: 'Age of the oldest change that has not been delivered to the Kinesis stream of the table yet; 0 without one',
    labels: tableLabels,
    aggregation: 'first',
  },
  singlet_replication_pending_items: {
    type: 'gauge',
    help: 'Changed items that have not been sent to a replica yet, counted up to a limit',
    labels: ['account', 'table', 'from', 'to'],
    aggregation: 'first',
  },
  singlet_replication_lag_seconds: {
    type: 'gauge',
    help: 'Age of the oldest change that has not been sent to a replica yet',
    labels: ['account', 'table', 'from', 'to'],
    aggregation: 'first',
  },
  singlet_data_file_bytes: {
    type: 'gauge',
    help: 'Size of the data file; 0 for data in memory',
    labels: [],
    aggregation: 'first',
  },
  singlet_log_file_bytes: {
    type: 'gauge',
    help: 'Size of the two files of the write-ahead log; 0 without one',
    labels: [],
    aggregation: 'first',
  },
  singlet_checkpoint_lag_bytes: {
    type: 'gauge',
    help: 'Bytes of the write-ahead log that are not in the data file yet; 0 without a log',
    labels: [],
    aggregation: 'max',
  },
  singlet_checkpoint_lag_seconds: {
    type: 'gauge',
    help: 'How long the oldest write in the log has waited to enter the data file; 0 without one',
    labels: [],
    aggregation: 'max',
  },
  singlet_event_loop_delay_seconds: {
    type: 'gauge',
    help: 'Delay of the event loop since the last scrape, by quantile; with several workers, that of the slowest',
    labels: ['quantile'],
    aggregation: 'max',
  },
  singlet_process_resident_bytes: {
    type: 'gauge',
    help: 'Resident memory of the serving processes; pages of the data file that several have mapped count in each',
    labels: [],
    aggregation: 'sum',
  },
  singlet_process_cpu_seconds_total: {
    type: 'counter',
    help: 'CPU time of the serving processes',
    labels: [],
    aggregation: 'sum',
  },
  singlet_workers: {
    type: 'gauge',
    help: 'Processes that serve and have answered for this page',
    labels: [],
    aggregation: 'sum',
  },
};
