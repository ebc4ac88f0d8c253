import type { TableDescription } from '../tables/table-description.ts';

export interface DeleteTableRequest {
  readonly tableName: string;
}

export interface DeleteTableResult {
  readonly tableDescription: TableDescription;
}
