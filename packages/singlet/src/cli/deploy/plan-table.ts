import type * as Sdk from '@aws-sdk/client-dynamodb';
import { DeployError } from './deploy-error.ts';
import type { DesiredTable } from '../../templates/desired-table.ts';
import type { DeploySession, PlanStep, TablePlan } from './plan.ts';
import { planReplicas, replicaRemovals } from './plan-replicas.ts';
import { planPolicy, planSettings, protectionSteps, tableClassSteps, tagSteps } from './plan-settings.ts';
import { arnOfTable, type PresentTable, type PresentTables } from './present-table.ts';
import {
  indexDifferences,
  isSameEncryption,
  isSameOnDemand,
  isSameThroughput,
  isWarmEnough,
  keyText,
  replacementReasons,
} from './table-differences.ts';

/**
 * Plans the changes that make a table match a file; none if it already does.
 *
 * @param options.canReplace - whether a table that has to be recreated may be deleted.
 */
export function planTable(
  desired: DesiredTable,
  present: PresentTables,
  options: { readonly canReplace: boolean },
): TablePlan {
  const { logicalId, create } = desired;
  const settings = planSettings(desired, present);
  const replicas = planReplicas(desired, present);
  const plan = { logicalId, tableName: create.TableName, notes: [...settings.notes, ...replicas.notes] };
  const { description } = present;
  if (description === undefined)
    return { ...plan, action: 'create', reasons: [], steps: creationSteps(desired, present) };
  const reasons = replacementReasons(desired, description);
  if (reasons.length > 0) {
    const obstacle = replacementObstacle(desired, description, options.canReplace);
    if (obstacle !== undefined) return { ...plan, action: 'refused', reasons: [...reasons, obstacle], steps: [] };
    const replicasGone = new Map(Array.from(present.replicas, ([region, replica]) => [region, absent(replica)]));
    const steps = [
      ...replicaRemovals(create.TableName, description, () => true),
      deletion(create.TableName),
      ...creationSteps(desired, { ...absent(present), replicas: replicasGone }),
    ];
    return { ...plan, action: 'replace', reasons, steps };
  }
  const steps = [
    ...updateSteps(desired, description),
    ...settings.steps,
    ...tagSteps(desired, present),
    ...planPolicy('resource policy', create.ResourcePolicy, present.policy, arnOfTable),
    ...replicas.steps,
    ...protectionSteps(desired, description),
  ];
  return { ...plan, action: steps.length === 0 ? 'nothing' : 'update', reasons: [], steps };
}

function replacementObstacle(
  { isRetained }: DesiredTable,
  { DeletionProtectionEnabled: isProtected }: Sdk.TableDescription,
  canReplace: boolean,
): string | undefined {
  if (isRetained) return 'the template retains the table';
  if (isProtected === true) return 'the table is protected against deletion';
  return canReplace ? undefined : 'with --replace it is deleted with all its items and created again';
}

/** The remaining knowledge about a deleted table: which actions the endpoint has. */
function absent(present: PresentTable): PresentTable {
  const none = { isKnown: true, value: undefined } as const;
  return {
    ...present,
    description: undefined,
    tags: [],
    policy: undefined,
    streamPolicy: undefined,
    timeToLive: present.timeToLive.isKnown ? none : present.timeToLive,
    recovery: present.recovery.isKnown ? none : present.recovery,
    kinesis: present.kinesis.isKnown ? none : present.kinesis,
    insights: present.insights.isKnown ? none : present.insights,
    indexInsights: new Map([...present.indexInsights].map(([name, answer]) => [name, answer.isKnown ? none : answer])),
  };
}

function deletion(TableName: string): PlanStep {
  return {
    sign: '-',
    text: `table ${TableName}, with all its items`,
    run: ({ sdk, client }) => client.send(new sdk.DeleteTableCommand({ TableName })),
  };
}

/** All steps that create a missing table. An import accepts fewer settings than CreateTable; the others are set after it. */
function creationSteps(desired: DesiredTable, present: PresentTables): readonly PlanStep[] {
  const { create, more } = desired;
  const isImported = more?.importSource !== undefined;
  return [
    firstStep(desired),
    ...(isImported ? updateSteps(desired, importedTable(desired)) : []),
    ...planSettings(desired, present).steps,
    ...(isImported
      ? [...tagSteps(desired, present), ...planPolicy('resource policy', create.ResourcePolicy, undefined, arnOfTable)]
      : []),
    ...planReplicas(desired, present).steps,
    ...(isImported ? protectionSteps(desired, undefined) : []),
  ];
}

/** A table as an import leaves it, as far as UpdateTable could change it. */
function importedTable({ create }: DesiredTable): Sdk.TableDescription {
  const { AttributeDefinitions, KeySchema, BillingMode, ProvisionedThroughput, OnDemandThroughput, SSESpecification } =
    create;
  return {
    AttributeDefinitions,
    KeySchema,
    BillingModeSummary: { BillingMode },
    ProvisionedThroughput,
    OnDemandThroughput,
    GlobalSecondaryIndexes: create.GlobalSecondaryIndexes?.map(({ WarmThroughput: _later, ...index }) => index),
    ...(SSESpecification?.Enabled === true && {
      SSEDescription: { Status: 'ENABLED', KMSMasterKeyArn: SSESpecification.KMSMasterKeyId },
    }),
  };
}

/** Creates the table, empty or with the items of an import. */
function firstStep({ create, more }: DesiredTable): PlanStep {
  const source = more?.importSource;
  const text = `table ${create.TableName} (${keyText(create.KeySchema)})`;
  if (source === undefined) {
    return { sign: '+', text, run: ({ sdk, client }) => client.send(new sdk.CreateTableCommand(create)) };
  }
  const bucket = source.S3BucketSource?.S3Bucket ?? '';
  return {
    sign: '+',
    text: `${text} with the items of s3://${bucket}/${source.S3BucketSource?.S3KeyPrefix ?? ''}`,
    run: async (session) => {
      const { sdk, client } = session;
      const { ImportTableDescription: begun } = await client.send(
        new sdk.ImportTableCommand({
          ...source,
          TableCreationParameters: {
            TableName: create.TableName,
            AttributeDefinitions: create.AttributeDefinitions,
            KeySchema: create.KeySchema,
            BillingMode: create.BillingMode,
            ProvisionedThroughput: create.ProvisionedThroughput,
            OnDemandThroughput: create.OnDemandThroughput,
            SSESpecification: create.SSESpecification,
            GlobalSecondaryIndexes: create.GlobalSecondaryIndexes,
          },
        }),
      );
      await importSettled(session, begun?.ImportArn);
    },
  };
}

async function importSettled({ sdk, client, pause }: DeploySession, ImportArn: string | undefined): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const { ImportTableDescription: state } = await client.send(new sdk.DescribeImportCommand({ ImportArn }));
    if (state?.ImportStatus === 'COMPLETED') return;
    if (state?.ImportStatus !== 'IN_PROGRESS') {
      throw new DeployError(`The import ${ImportArn} is ${state?.ImportStatus}: ${state?.FailureMessage}`);
    }
    await pause(attempt);
  }
}

/** The changes made by UpdateTable, except for protection. Each is a separate request, as the service requires. */
function updateSteps(desired: DesiredTable, description: Sdk.TableDescription): readonly PlanStep[] {
  const { create } = desired;
  const indexes = indexDifferences(desired, description);
  const update = (sign: PlanStep['sign'], text: string, input: Partial<Sdk.UpdateTableInput>): PlanStep => ({
    sign,
    text,
    run: ({ sdk, client }) => client.send(new sdk.UpdateTableCommand({ TableName: create.TableName, ...input })),
  });
  const steps = indexes.removed.map((IndexName) =>
    update('-', `index ${IndexName}`, { GlobalSecondaryIndexUpdates: [{ Delete: { IndexName } }] }),
  );
  steps.push(...capacitySteps(desired, description, indexes.kept, update));
  for (const index of indexes.made) {
    const { IndexName, KeySchema, Projection } = index;
    const names = new Set(
      [...(create.KeySchema ?? []), ...(KeySchema ?? [])].map(({ AttributeName }) => AttributeName),
    );
    steps.push(
      update('+', `index ${IndexName} (${keyText(KeySchema)}; ${Projection?.ProjectionType})`, {
        AttributeDefinitions: create.AttributeDefinitions?.filter(({ AttributeName }) => names.has(AttributeName)),
        GlobalSecondaryIndexUpdates: [{ Create: index }],
      }),
    );
  }
  if (!isWarmEnough(create.WarmThroughput, description.WarmThroughput)) {
    steps.push(update('~', 'warm throughput', { WarmThroughput: create.WarmThroughput }));
  }
  steps.push(...streamSteps(create.StreamSpecification, description.StreamSpecification, update));
  steps.push(...tableClassSteps(desired, description));
  if (!isSameEncryption(create.SSESpecification, description.SSEDescription)) {
    const SSESpecification = create.SSESpecification ?? { Enabled: false };
    steps.push(
      update('~', `encryption ${SSESpecification.Enabled === true ? 'with a key of KMS' : 'by default'}`, {
        SSESpecification,
      }),
    );
  }
  return steps;
}

type Update = (sign: PlanStep['sign'], text: string, input: Partial<Sdk.UpdateTableInput>) => PlanStep;

function capacitySteps(
  { create }: DesiredTable,
  description: Sdk.TableDescription,
  kept: ReturnType<typeof indexDifferences>['kept'],
  update: Update,
): readonly PlanStep[] {
  const wantedMode = create.BillingMode ?? 'PROVISIONED';
  const isSwitched = wantedMode !== (description.BillingModeSummary?.BillingMode ?? 'PROVISIONED');
  const { ProvisionedThroughput, OnDemandThroughput } = create;
  const steps: PlanStep[] = [];
  if (isSwitched && wantedMode === 'PROVISIONED') {
    steps.push(
      update('~', `billing mode ${wantedMode}`, {
        BillingMode: wantedMode,
        ProvisionedThroughput,
        ...(kept.length > 0 && {
          GlobalSecondaryIndexUpdates: kept.map(({ wanted }) => ({
            Update: { IndexName: wanted.IndexName, ProvisionedThroughput: wanted.ProvisionedThroughput },
          })),
        }),
      }),
    );
  } else if (isSwitched) {
    const maximum = OnDemandThroughput === undefined ? {} : { OnDemandThroughput };
    steps.push(update('~', `billing mode ${wantedMode}`, { BillingMode: wantedMode, ...maximum }));
  }
  const isProvisioned = wantedMode === 'PROVISIONED';
  const now = { units: description.ProvisionedThroughput, maximum: description.OnDemandThroughput };
  if (!isSwitched && isProvisioned && !isSameThroughput(ProvisionedThroughput, now.units)) {
    steps.push(update('~', `throughput ${unitsText(ProvisionedThroughput)}`, { ProvisionedThroughput }));
  }
  if (!isSwitched && !isProvisioned && !isSameOnDemand(OnDemandThroughput, now.maximum)) {
    steps.push(update('~', 'maximum throughput', { OnDemandThroughput: maximumOf(OnDemandThroughput) }));
  }
  for (const { wanted, present } of kept) {
    const change = (text: string, changes: Partial<Sdk.UpdateGlobalSecondaryIndexAction>): PlanStep =>
      update('~', `${text} of index ${wanted.IndexName}`, {
        GlobalSecondaryIndexUpdates: [{ Update: { IndexName: wanted.IndexName, ...changes } }],
      });
    const { ProvisionedThroughput: units, OnDemandThroughput: maximum, WarmThroughput } = wanted;
    if (!isSwitched && isProvisioned && !isSameThroughput(units, present.ProvisionedThroughput)) {
      steps.push(change(`throughput ${unitsText(units)}`, { ProvisionedThroughput: units }));
    }
    if (!isProvisioned && !isSameOnDemand(maximum, present.OnDemandThroughput)) {
      steps.push(change('maximum throughput', { OnDemandThroughput: maximumOf(maximum) }));
    }
    if (!isWarmEnough(WarmThroughput, present.WarmThroughput)) {
      steps.push(change('warm throughput', { WarmThroughput }));
    }
  }
  return steps;
}

function unitsText({ ReadCapacityUnits, WriteCapacityUnits }: Partial<Sdk.ProvisionedThroughput> = {}): string {
  return `${ReadCapacityUnits} reads and ${WriteCapacityUnits} writes`;
}

/** -1 removes a maximum. */
function maximumOf({
  MaxReadRequestUnits = -1,
  MaxWriteRequestUnits = -1,
}: Sdk.OnDemandThroughput = {}): Sdk.OnDemandThroughput {
  return { MaxReadRequestUnits, MaxWriteRequestUnits };
}

function streamSteps(
  wanted: Sdk.StreamSpecification | undefined,
  present: Sdk.StreamSpecification | undefined,
  update: Update,
): readonly PlanStep[] {
  const viewType = wanted?.StreamEnabled === true ? wanted.StreamViewType : undefined;
  const now = present?.StreamEnabled === true ? present.StreamViewType : undefined;
  if (viewType === now) return [];
  const steps: PlanStep[] = [];
  if (now !== undefined) steps.push(update('-', `stream of ${now}`, { StreamSpecification: { StreamEnabled: false } }));
  if (viewType !== undefined) {
    const StreamSpecification = { StreamEnabled: true, StreamViewType: viewType };
    steps.push(update('+', `stream of ${viewType}`, { StreamSpecification }));
  }
  return steps;
}
