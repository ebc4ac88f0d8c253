import type { AttributeMap } from '../../../singlet/src/values/attribute-value.ts';

// Heat, as docs/inspect.md describes it.

export interface HeatReport {
  /** When the report was made, epoch milliseconds. */
  readonly at: number;
  readonly from: number;
  readonly stepMs: number;
  readonly since: number;
  readonly partitionReads: number;
  readonly partitionWrites: number;
  readonly partitions: readonly { readonly hashFrom: string; readonly hashTo: string | null }[];
  readonly rows: readonly HeatRow[];
  readonly keys: readonly HotKey[];
}

export interface HeatRow {
  readonly hashFrom: string;
  /** Units per second, by column. */
  readonly reads: readonly number[];
  readonly writes: readonly number[];
  readonly throttled: readonly number[];
}

export interface HotKey {
  readonly key: AttributeMap;
  readonly share: number;
  readonly reads: number;
  readonly writes: number;
  readonly throttled: number;
}

export interface Load {
  readonly reads: number;
  readonly writes: number;
}

export interface WhatIf {
  readonly shards: number;
  readonly key: AttributeMap | null;
  readonly now: Load;
  readonly random: Load;
  readonly bySortKey: Load | null;
  readonly partition: Load;
  readonly hottestThen: HotKey | null;
  readonly requestsPerQuery: number;
  readonly unitsPerQueryMin: number;
}
