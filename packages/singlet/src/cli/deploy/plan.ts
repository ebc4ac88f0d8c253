import type * as Sdk from '@aws-sdk/client-dynamodb';

/** What is to be done to one table. */
export interface TablePlan {
  readonly logicalId: string;
  readonly tableName: string;
  /** `refused`: the table would have to be created again, and that was not asked for. */
  readonly action: 'create' | 'update' | 'replace' | 'nothing' | 'refused';
  /** Why the table has to be created again. */
  readonly reasons: readonly string[];
  readonly steps: readonly PlanStep[];
  /** What the file wants and the endpoint cannot do. It counts as no change. */
  readonly notes: readonly string[];
}

/** One change, as the service makes them: mostly one at a time. */
export interface PlanStep {
  readonly sign: '+' | '~' | '-';
  readonly text: string;
  /** Where it is made: the region of another replica. Absent: that of the deployment. */
  readonly region?: string;
  /** Makes the change. What it begins may be under way still when it resolves. */
  readonly run: (session: DeploySession) => Promise<unknown>;
}

/** What steps work with. */
export interface DeploySession {
  readonly sdk: typeof Sdk;
  /** Of the region of the step. */
  readonly client: Sdk.DynamoDBClient;
  readonly tableName: string;
  /** Resolves when nothing about the table is on its way any more. @returns the table; undefined when it is gone. */
  readonly settled: () => Promise<Sdk.TableDescription | undefined>;
  /** Waits a little, longer each time. */
  readonly pause: (attempt: number) => Promise<void>;
}

/** A client for each region that a file speaks of; without a name, for that of the deployment. */
export type RegionClients = (region?: string) => Sdk.DynamoDBClient;
