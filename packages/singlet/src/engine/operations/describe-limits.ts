/** Quotas, capacity units per second. */
export interface DescribeLimitsResult {
  readonly accountMaxReadCapacityUnits: number;
  readonly accountMaxWriteCapacityUnits: number;
  readonly tableMaxReadCapacityUnits: number;
  readonly tableMaxWriteCapacityUnits: number;
}
