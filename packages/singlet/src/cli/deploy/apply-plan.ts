import { setTimeout as sleep } from 'node:timers/promises';
import type * as Sdk from '@aws-sdk/client-dynamodb';
import { DeployError } from './deploy-error.ts';
import type { DeploySession, PlanStep, RegionClients, TablePlan } from './plan.ts';
import { isNamed } from './present-table.ts';

/** The first pause while waiting, in milliseconds. Each further one is half as long again, up to {@link pauseMsMax}. */
const pauseMsFirst = 20;

const pauseMsMax = 5000;

/** The number of attempts for a step that is refused as too early: with the pauses between, a good minute. */
const attemptsMax = 24;

/** Transient errors. */
const passing = ['ResourceInUseException', 'LimitExceededException', 'ThrottlingException'];

/** Applies the changes of a plan one after the other, and waits for the last. @throws {DeployError} at the first that fails. */
export async function applyPlan(
  sdk: typeof Sdk,
  clients: RegionClients,
  { steps, tableName }: TablePlan,
  onStep: (step: PlanStep) => void,
): Promise<void> {
  const sessionOf = (region: string | undefined): DeploySession => {
    const client = clients(region);
    const atHome = (): ReturnType<DeploySession['settled']> => settled(sdk, clients(), tableName);
    // A replica is ready when the table in the home region says so.
    const inRegion = async (): ReturnType<DeploySession['settled']> => {
      await atHome();
      return settled(sdk, client, tableName);
    };
    return { sdk, client, tableName, settled: region === undefined ? atHome : inRegion, pause };
  };
  let session = sessionOf(undefined);
  for (const step of steps) {
    session = sessionOf(step.region);
    await session.settled();
    onStep(step);
    await runStep(step, session);
  }
  await session.settled();
}

async function runStep(step: PlanStep, session: DeploySession): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await step.run(session);
      return;
    } catch (error) {
      if (error instanceof DeployError) throw error;
      if (!isNamed(error, passing) || attempt >= attemptsMax) throw failedStep(step, session, error);
      await pause(attempt);
      await session.settled();
    }
  }
}

function failedStep({ sign, text }: PlanStep, { tableName }: DeploySession, error: unknown): DeployError {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new DeployError(`Table ${tableName}, ${sign} ${text}: ${reason}`, { cause: error });
}

async function settled(
  sdk: typeof Sdk,
  client: Sdk.DynamoDBClient,
  TableName: string,
): Promise<Sdk.TableDescription | undefined> {
  for (let attempt = 0; ; attempt += 1) {
    let table: Sdk.TableDescription | undefined;
    try {
      ({ Table: table } = await client.send(new sdk.DescribeTableCommand({ TableName })));
    } catch (error) {
      if (!isNamed(error, ['ResourceNotFoundException'])) throw error;
      return undefined;
    }
    const statuses = [
      table?.TableStatus,
      ...(table?.GlobalSecondaryIndexes ?? []).map(({ IndexStatus }) => IndexStatus),
      ...(table?.Replicas ?? []).map(({ ReplicaStatus }) => ReplicaStatus),
    ];
    if (!statuses.some((status) => status?.endsWith('ING') === true)) return table;
    await pause(attempt);
  }
}

async function pause(attempt: number): Promise<void> {
  await sleep(Math.min(pauseMsFirst * 1.5 ** attempt, pauseMsMax));
}
