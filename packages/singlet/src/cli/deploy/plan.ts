import type * as Sdk from '@aws-sdk/client-dynamodb';

/** The changes to one table. */
export interface TablePlan {
  readonly logicalId: string;
  readonly tableName: string;
  /** `refused`: the table would have to be recreated, but replacing it was not allowed. */
  readonly action: 'create' | 'update' | 'replace' | 'nothing' | 'refused';
  /** Why the table has to be recreated. */
  readonly reasons: readonly string[];
  readonly steps: readonly PlanStep[];
  /** Settings in the file that the endpoint does not support. They do not count as changes. */
  readonly notes: readonly string[];
}

/** One change, as the service accepts them: usually one at a time. */
export interface PlanStep {
  readonly sign: '+' | '~' | '-';
  readonly text: string;
  /** The region of a replica in which the change is made. Absent: the region of the deployment. */
  readonly region?: string;
  /** Makes the change. The resulting operation may still be in progress when this resolves. */
  readonly run: (session: DeploySession) => Promise<unknown>;
}

/** What steps can use. */
export interface DeploySession {
  readonly sdk: typeof Sdk;
  /** The client for the region of the step. */
  readonly client: Sdk.DynamoDBClient;
  readonly tableName: string;
  /** Resolves when no operation on the table is in progress. @returns the table; undefined if it has been deleted. */
  readonly settled: () => Promise<Sdk.TableDescription | undefined>;
  /** Pauses, longer with each attempt. */
  readonly pause: (attempt: number) => Promise<void>;
}

/** A client for each region that a file names; without a name, for that of the deployment. */
export type RegionClients = (region?: string) => Sdk.DynamoDBClient;
