import type { TableDescription } from '../tables/table-description.ts';

export interface DescribeTableRequest {
  readonly tableName: string;
}

export interface DescribeTableResult {
  readonly table: TableDescription;
}
