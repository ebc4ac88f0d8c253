import type * as Sdk from '@aws-sdk/client-dynamodb';
import type { DesiredReplica, DesiredTable } from '../../templates/desired-table.ts';
import type { DeploySession, RegionClients } from './plan.ts';

/** The present state of a table at the endpoint. */
export interface PresentTable {
  /** Undefined if the table does not exist. */
  readonly description: Sdk.TableDescription | undefined;
  readonly tags: readonly Sdk.Tag[];
  readonly policy: string | undefined;
  /** Settings that only some files contain and only some endpoints support. */
  readonly timeToLive: Answer<Sdk.TimeToLiveDescription | undefined>;
  readonly recovery: Answer<Sdk.PointInTimeRecoveryDescription | undefined>;
  readonly kinesis: Answer<Sdk.KinesisDataStreamDestination | undefined>;
  readonly insights: Answer<Sdk.DescribeContributorInsightsOutput | undefined>;
  readonly indexInsights: ReadonlyMap<string, Answer<Sdk.DescribeContributorInsightsOutput | undefined>>;
  readonly streamPolicy: string | undefined;
}

/** A table in the home region and in the other regions that a file names. */
export interface PresentTables extends PresentTable {
  readonly replicas: ReadonlyMap<string, PresentTable>;
}

/** An action's answer, or that the endpoint does not know the action. */
export type Answer<T> = { readonly isKnown: true; readonly value: T } | { readonly isKnown: false };

const unknownAnswer = { isKnown: false } as const;

/**
 * Reads everything about a table that a file mentions. For a table that does not exist it determines which actions the endpoint knows.
 *
 * Decision 0018 says why.
 */
export async function readPresentTable(
  sdk: typeof Sdk,
  clients: RegionClients,
  desired: DesiredTable,
): Promise<PresentTables> {
  const replicas = new Map<string, PresentTable>();
  for (const replica of desired.replicas ?? []) {
    replicas.set(replica.region, await readTable(sdk, clients(replica.region), replica));
  }
  return { ...(await readTable(sdk, clients(), desired)), replicas };
}

async function readTable(
  sdk: typeof Sdk,
  client: Sdk.DynamoDBClient,
  desired: Pick<DesiredTable | DesiredReplica, 'create' | 'more'>,
): Promise<PresentTable> {
  const { more } = desired;
  const { TableName } = desired.create;
  const description = await client.send(new sdk.DescribeTableCommand({ TableName })).then(
    ({ Table }) => Table,
    (error: unknown) => ifNamed(error, ['ResourceNotFoundException'], undefined),
  );
  const ask = async <T>(question: () => Promise<T>): Promise<Answer<T | undefined>> => {
    // What the file does not mention is not compared.
    if (more === undefined) return unknownAnswer;
    return question().then(
      (value) => ({ isKnown: true, value }) as const,
      (error: unknown) => {
        if (isNamed(error, ['UnknownOperationException'])) return unknownAnswer;
        if (description === undefined) return { isKnown: true, value: undefined } as const;
        throw error;
      },
    );
  };
  const askInsights = (IndexName?: string): Promise<Answer<Sdk.DescribeContributorInsightsOutput | undefined>> =>
    ask(() => client.send(new sdk.DescribeContributorInsightsCommand({ TableName, IndexName })));
  const indexInsights = new Map<string, Answer<Sdk.DescribeContributorInsightsOutput | undefined>>();
  for (const { IndexName = '' } of desired.create.GlobalSecondaryIndexes ?? []) {
    const isThere = description?.GlobalSecondaryIndexes?.some((index) => index.IndexName === IndexName) === true;
    indexInsights.set(IndexName, isThere ? await askInsights(IndexName) : { isKnown: true, value: undefined });
  }
  const streamArn = description?.StreamSpecification?.StreamEnabled === true ? description.LatestStreamArn : undefined;
  return {
    description,
    tags: await readTags(sdk, client, description?.TableArn),
    policy: await readPolicy(sdk, client, description?.TableArn),
    timeToLive: await ask(async () => {
      const { TimeToLiveDescription } = await client.send(new sdk.DescribeTimeToLiveCommand({ TableName }));
      return TimeToLiveDescription;
    }),
    recovery: await ask(async () => {
      const { ContinuousBackupsDescription } = await client.send(
        new sdk.DescribeContinuousBackupsCommand({ TableName }),
      );
      return ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
    }),
    kinesis: await ask(async () => {
      const { KinesisDataStreamDestinations = [] } = await client.send(
        new sdk.DescribeKinesisStreamingDestinationCommand({ TableName }),
      );
      return KinesisDataStreamDestinations.find(
        ({ DestinationStatus: status }) => status !== 'DISABLED' && status !== 'ENABLE_FAILED',
      );
    }),
    insights: await askInsights(),
    indexInsights,
    streamPolicy: more === undefined ? undefined : await readPolicy(sdk, client, streamArn),
  };
}

async function readTags(
  sdk: typeof Sdk,
  client: Sdk.DynamoDBClient,
  ResourceArn: string | undefined,
): Promise<readonly Sdk.Tag[]> {
  const tags: Sdk.Tag[] = [];
  if (ResourceArn === undefined) return tags;
  let NextToken: string | undefined;
  do {
    const page = await client.send(new sdk.ListTagsOfResourceCommand({ ResourceArn, NextToken }));
    tags.push(...(page.Tags ?? []));
    ({ NextToken } = page);
  } while (NextToken !== undefined);
  return tags;
}

async function readPolicy(
  sdk: typeof Sdk,
  client: Sdk.DynamoDBClient,
  ResourceArn: string | undefined,
): Promise<string | undefined> {
  if (ResourceArn === undefined) return undefined;
  return client.send(new sdk.GetResourcePolicyCommand({ ResourceArn })).then(
    ({ Policy }) => Policy,
    (error: unknown) => ifNamed(error, ['UnknownOperationException', 'PolicyNotFoundException'], undefined),
  );
}

/** A value instead of an error with one of these names. @throws any other error. */
function ifNamed<T>(error: unknown, names: readonly string[], value: T): T {
  if (isNamed(error, names)) return value;
  throw error;
}

/** Whether an error of the SDK has one of these names. */
export function isNamed(error: unknown, names: readonly string[]): boolean {
  return error instanceof Error && names.includes(error.name);
}

/** The ARN of the table that a step changes. */
export async function arnOfTable({ settled }: DeploySession): Promise<string | undefined> {
  return (await settled())?.TableArn;
}
