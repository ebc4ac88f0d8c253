/** Capacity of one table or index. `capacityUnits` is reads and writes together; the others are present in transactions. */
export interface Capacity {
  readonly capacityUnits: number;
  readonly readCapacityUnits?: number;
  readonly writeCapacityUnits?: number;
}

/** The metering of a vector index: bytes, separate from all units. */
export interface VectorCapacity {
  readonly vectorSearchRequestBytes?: number;
  readonly vectorWriteRequestBytes?: number;
}

export interface ConsumedCapacity extends Capacity {
  readonly tableName: string;
  /** This member and the following ones only with `INDEXES`. */
  readonly table?: Capacity;
  readonly localSecondaryIndexes?: Readonly<Record<string, Capacity>>;
  readonly globalSecondaryIndexes?: Readonly<Record<string, Capacity>>;
  readonly vectorIndexes?: Readonly<Record<string, VectorCapacity>>;
}

export type ReturnConsumedCapacity = 'INDEXES' | 'TOTAL' | 'NONE';

export type ReturnItemCollectionMetrics = 'SIZE' | 'NONE';
