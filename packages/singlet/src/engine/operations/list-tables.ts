export interface ListTablesRequest {
  readonly exclusiveStartTableName?: string | undefined;
  readonly limit?: number | undefined;
}

export interface ListTablesResult {
  readonly tableNames: readonly string[];
  readonly lastEvaluatedTableName?: string;
}
