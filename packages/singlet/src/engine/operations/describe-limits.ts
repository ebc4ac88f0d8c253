import type { EngineServices } from '../services.ts';

/** Quotas, capacity units per second. */
export interface DescribeLimitsResult {
  readonly accountMaxReadCapacityUnits: number;
  readonly accountMaxWriteCapacityUnits: number;
  readonly tableMaxReadCapacityUnits: number;
  readonly tableMaxWriteCapacityUnits: number;
}

/** @see Amazon DynamoDB API Reference, DescribeLimits */
export async function describeLimits({ limits }: EngineServices): Promise<DescribeLimitsResult> {
  return {
    accountMaxReadCapacityUnits: limits.accountCapacityUnitsMax,
    accountMaxWriteCapacityUnits: limits.accountCapacityUnitsMax,
    tableMaxReadCapacityUnits: limits.tableCapacityUnitsMax,
    tableMaxWriteCapacityUnits: limits.tableCapacityUnitsMax,
  };
}
