import type * as Sdk from '@aws-sdk/client-dynamodb';
import { samePolicy } from '../../engine/index.ts';
import { DeployError } from './deploy-error.ts';
import type { DesiredInsights, DesiredReplica, DesiredSettings, DesiredTable } from '../../templates/desired-table.ts';
import type { DeploySession, PlanStep } from './plan.ts';
import { type Answer, arnOfTable, type PresentTable } from './present-table.ts';
import { tagDifferences } from './table-differences.ts';

/** Steps, and notes on what the endpoint does not support. */
export interface SettingsPlan {
  readonly steps: PlanStep[];
  readonly notes: string[];
}

/** Plans the settings that are not part of CreateTable. */
export function planSettings(desired: DesiredTable, present: PresentTable): SettingsPlan {
  const plan: SettingsPlan = { steps: [], notes: [] };
  const { more } = desired;
  if (more === undefined) return plan;
  planTimeToLive(plan, desired.create.TableName, more, present);
  const { steps, notes } = planRegionalSettings({ create: desired.create, more }, present);
  return { steps: [...plan.steps, ...steps], notes: [...plan.notes, ...notes] };
}

/** Plans the regional settings of each replica: all except the time to live. */
export function planRegionalSettings(
  { create: { TableName }, more }: Pick<DesiredReplica, 'create' | 'more'>,
  present: PresentTable,
): SettingsPlan {
  const plan: SettingsPlan = { steps: [], notes: [] };
  planRecovery(plan, TableName, more, present);
  planKinesis(plan, TableName, more, present);
  planInsights(plan, TableName, undefined, more.insights, present.insights);
  for (const [indexName, answer] of present.indexInsights) {
    planInsights(plan, TableName, indexName, more.indexInsights.get(indexName), answer);
  }
  const policy = planPolicy('stream policy', more.streamPolicy, present.streamPolicy, async ({ settled }) => {
    return (await settled())?.LatestStreamArn;
  });
  plan.steps.push(...policy);
  return plan;
}

function planTimeToLive(plan: SettingsPlan, TableName: string, more: DesiredSettings, present: PresentTable): void {
  const wanted = more.timeToLive?.Enabled === true ? more.timeToLive.AttributeName : undefined;
  if (isUnknown(plan, present.timeToLive, wanted !== undefined, 'time to live', 'UpdateTimeToLive')) return;
  const status = present.timeToLive.value?.TimeToLiveStatus;
  const isOn = status === 'ENABLED' || status === 'ENABLING';
  const now = isOn ? present.timeToLive.value?.AttributeName : undefined;
  if (wanted === now) return;
  const send = (AttributeName: string | undefined, Enabled: boolean) => {
    return ({ sdk, client }: DeploySession) =>
      client.send(new sdk.UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: { AttributeName, Enabled } }));
  };
  if (now !== undefined) plan.steps.push({ sign: '-', text: `time to live on ${now}`, run: send(now, false) });
  if (wanted !== undefined) plan.steps.push({ sign: '+', text: `time to live on ${wanted}`, run: send(wanted, true) });
}

function planRecovery(plan: SettingsPlan, TableName: string, more: DesiredSettings, present: PresentTable): void {
  const wanted = more.pointInTimeRecovery;
  const isWanted = wanted?.PointInTimeRecoveryEnabled === true;
  if (isUnknown(plan, present.recovery, isWanted, 'point-in-time recovery', 'UpdateContinuousBackups')) return;
  const now = present.recovery.value;
  const isOn = now?.PointInTimeRecoveryStatus === 'ENABLED';
  const days = wanted?.RecoveryPeriodInDays;
  const isSame = isWanted === isOn && (!isWanted || days === undefined || days === now?.RecoveryPeriodInDays);
  if (isSame) return;
  plan.steps.push({
    sign: isWanted ? (isOn ? '~' : '+') : '-',
    text: `point-in-time recovery${isWanted && days !== undefined ? ` of ${days} days` : ''}`,
    run: ({ sdk, client }) =>
      client.send(
        new sdk.UpdateContinuousBackupsCommand({
          TableName,
          PointInTimeRecoverySpecification: wanted ?? { PointInTimeRecoveryEnabled: false },
        }),
      ),
  });
}

function planKinesis(plan: SettingsPlan, TableName: string, more: DesiredSettings, present: PresentTable): void {
  const wanted = more.kinesis;
  const isKnown = !isUnknown(
    plan,
    present.kinesis,
    wanted !== undefined,
    'Kinesis destination',
    'EnableKinesisStreamingDestination',
  );
  if (!isKnown || !present.kinesis.isKnown) return;
  const now = present.kinesis.value;
  const isMoved = wanted?.StreamArn !== now?.StreamArn;
  if (now !== undefined && isMoved) {
    plan.steps.push({
      sign: '-',
      text: `Kinesis destination ${now.StreamArn}`,
      run: async (session) => {
        const { sdk, client } = session;
        const { StreamArn } = now;
        await client.send(new sdk.DisableKinesisStreamingDestinationCommand({ TableName, StreamArn }));
        await destinationSettled(session);
      },
    });
  }
  if (wanted === undefined) return;
  const { StreamArn, precision } = wanted;
  if (isMoved) {
    plan.steps.push({
      sign: '+',
      text: `Kinesis destination ${StreamArn}`,
      run: async (session) => {
        const { sdk, client } = session;
        const EnableKinesisStreamingConfiguration =
          precision === undefined ? undefined : { ApproximateCreationDateTimePrecision: precision };
        await client.send(
          new sdk.EnableKinesisStreamingDestinationCommand({
            TableName,
            StreamArn,
            EnableKinesisStreamingConfiguration,
          }),
        );
        await destinationSettled(session);
      },
    });
  } else if ((precision ?? 'MILLISECOND') !== (now?.ApproximateCreationDateTimePrecision ?? 'MILLISECOND')) {
    plan.steps.push({
      sign: '~',
      text: `Kinesis destination: times in ${(precision ?? 'MILLISECOND').toLowerCase()}s`,
      run: async (session) => {
        const { sdk, client } = session;
        await client.send(
          new sdk.UpdateKinesisStreamingDestinationCommand({
            TableName,
            StreamArn,
            UpdateKinesisStreamingConfiguration: { ApproximateCreationDateTimePrecision: precision ?? 'MILLISECOND' },
          }),
        );
        await destinationSettled(session);
      },
    });
  }
}

/** @throws {Error} if a destination could not be enabled. */
async function destinationSettled({ sdk, client, tableName, pause }: DeploySession): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const { KinesisDataStreamDestinations: [newest] = [] } = await client.send(
      new sdk.DescribeKinesisStreamingDestinationCommand({ TableName: tableName }),
    );
    if (newest?.DestinationStatus === 'ENABLE_FAILED') {
      throw new DeployError(`Kinesis destination ${newest.StreamArn}: ${newest.DestinationStatusDescription}`);
    }
    if (newest?.DestinationStatus?.endsWith('ING') !== true) return;
    await pause(attempt);
  }
}

function planInsights(
  plan: SettingsPlan,
  TableName: string,
  IndexName: string | undefined,
  wanted: DesiredInsights | undefined,
  present: Answer<Sdk.DescribeContributorInsightsOutput | undefined>,
): void {
  const what = IndexName === undefined ? 'contributor insights' : `contributor insights of index ${IndexName}`;
  const isWanted = wanted?.isEnabled === true;
  if (isUnknown(plan, present, isWanted, what, 'UpdateContributorInsights')) return;
  const status = present.value?.ContributorInsightsStatus;
  const isOn = status === 'ENABLED' || status === 'ENABLING';
  const mode = wanted?.mode;
  if (isWanted === isOn && (!isWanted || mode === undefined || mode === present.value?.ContributorInsightsMode)) return;
  plan.steps.push({
    sign: isWanted ? (isOn ? '~' : '+') : '-',
    text: what,
    run: ({ sdk, client }) =>
      client.send(
        new sdk.UpdateContributorInsightsCommand({
          TableName,
          IndexName,
          ContributorInsightsAction: isWanted ? 'ENABLE' : 'DISABLE',
          ...(isWanted && { ContributorInsightsMode: mode as Sdk.ContributorInsightsMode | undefined }),
        }),
      ),
  });
}

/** Plans a resource-based policy. @param arnOf - returns the ARN of the resource when the step runs. */
export function planPolicy(
  what: string,
  wanted: string | undefined,
  present: string | undefined,
  arnOf: (session: DeploySession) => Promise<string | undefined>,
): readonly PlanStep[] {
  if (wanted === undefined) {
    if (present === undefined) return [];
    const run = async (session: DeploySession): Promise<void> => {
      const { sdk, client } = session;
      await client.send(new sdk.DeleteResourcePolicyCommand({ ResourceArn: await arnOf(session) }));
    };
    return [{ sign: '-', text: what, run }];
  }
  if (present !== undefined && samePolicy(wanted, present)) return [];
  const run = async (session: DeploySession): Promise<void> => {
    const { sdk, client } = session;
    await client.send(new sdk.PutResourcePolicyCommand({ ResourceArn: await arnOf(session), Policy: wanted }));
  };
  return [{ sign: present === undefined ? '+' : '~', text: what, run }];
}

/** Plans the tags. */
export function tagSteps(
  { create }: Pick<DesiredTable, 'create'> | DesiredReplica,
  { tags }: PresentTable,
): readonly PlanStep[] {
  const { set, removed } = tagDifferences(create.Tags ?? [], tags);
  const steps: PlanStep[] = [];
  if (removed.length > 0) {
    steps.push({
      sign: '-',
      text: `tags ${removed.join(', ')}`,
      run: async (session) => {
        const { sdk, client } = session;
        await client.send(
          new sdk.UntagResourceCommand({ ResourceArn: await arnOfTable(session), TagKeys: [...removed] }),
        );
      },
    });
  }
  if (set.length > 0) {
    steps.push({
      sign: '+',
      text: `tags ${set.map(({ Key }) => Key).join(', ')}`,
      run: async (session) => {
        const { sdk, client } = session;
        await client.send(new sdk.TagResourceCommand({ ResourceArn: await arnOfTable(session), Tags: [...set] }));
      },
    });
  }
  return steps;
}

/** Plans the table class. A table or replica that does not exist yet is created with it. */
export function tableClassSteps(
  { create: { TableName, TableClass = 'STANDARD' } }: Pick<DesiredTable, 'create'> | DesiredReplica,
  description: Sdk.TableDescription | undefined,
): readonly PlanStep[] {
  if (description === undefined || TableClass === (description.TableClassSummary?.TableClass ?? 'STANDARD')) return [];
  return [
    {
      sign: '~',
      text: `table class ${TableClass}`,
      run: ({ sdk, client }) => client.send(new sdk.UpdateTableCommand({ TableName, TableClass })),
    },
  ];
}

/** Last, so that earlier steps run under the existing protection. */
export function protectionSteps(
  { create }: Pick<DesiredTable, 'create'> | DesiredReplica,
  description: Sdk.TableDescription | undefined,
): readonly PlanStep[] {
  const DeletionProtectionEnabled = create.DeletionProtectionEnabled ?? false;
  if (DeletionProtectionEnabled === (description?.DeletionProtectionEnabled ?? false)) return [];
  return [
    {
      sign: DeletionProtectionEnabled ? '+' : '-',
      text: 'deletion protection',
      run: ({ sdk, client, tableName: TableName }) =>
        client.send(new sdk.UpdateTableCommand({ TableName, DeletionProtectionEnabled })),
    },
  ];
}

/** Notes a desired setting that the endpoint does not support. */
function isUnknown<T>(
  plan: SettingsPlan,
  answer: Answer<T>,
  isWanted: boolean,
  what: string,
  action: string,
): answer is { readonly isKnown: false } {
  if (answer.isKnown) return false;
  if (isWanted) plan.notes.push(`${what}: this endpoint does not support ${action}, so it is left out`);
  return true;
}
