import { type DesiredReplica, type DesiredTable, noSettings } from './desired-table.ts';
import { type DesiredScaling, readScaling } from './desired-scaling.ts';
import { type Properties, readAll } from './properties.ts';
import { scalarText, type TemplateObject, type TemplateValue } from './read-template.ts';
import { optional } from './table-parts.ts';
import { readTable, type SkippedResource, type TemplateTables } from './table-resources.ts';
import { TemplateError } from './template-error.ts';
import { type DeployContext, objectOf } from './template-scope.ts';

/*
 * The output of `terraform show -json` for a plan or a state: resources with their values, in a tree of modules. Its tables are converted to
 * CloudFormation's spelling, and then read like those of a template.
 */

/** The maximum depth of nested modules. */
const moduleDepthMax = 100;

interface Resource {
  /** `module.shop.aws_dynamodb_table.orders["a"]`. */
  readonly address: string;
  readonly type: string;
  readonly values: TemplateObject;
}

/** Whether a file is output of `terraform show -json`. */
export function isTerraformPlan(value: TemplateValue): value is TemplateObject {
  return typeof value === 'object' && value !== null && 'format_version' in value && !('Resources' in value);
}

/**
 * The tables of a Terraform plan or state. Settings that it does not contain are disabled, or have the service's default.
 *
 * @throws {TemplateError} if it has no values, or a table has one that is only known after applying.
 * @see Terraform, JSON Output Format; AWS provider, resource aws_dynamodb_table
 */
export function tablesOfTerraform(plan: TemplateObject, context: DeployContext): TemplateTables {
  const values = plan.planned_values ?? plan.values;
  if (values === undefined) {
    throw new TemplateError([], 'The file has no planned values. Print a plan with: terraform show -json PLANFILE');
  }
  const root = objectOf(values, ['planned_values']).root_module ?? {};
  const resources = [...resourcesOf(objectOf(root, ['root_module']), 0)];
  const settings = settingsOf(resources);
  const tables = resources.filter(({ type }) => type === tableType);
  const names = new Set(tables.map(({ values: { name } }) => name));
  const scalings = resources.filter(isScaling);
  return {
    tables: tables.map((resource) => tableOf(resource, settings, context, resources)),
    scalings: scalings.map(scalingOf),
    skipped: resources
      .filter((resource) => resource.type !== tableType && !scalings.includes(resource))
      .flatMap((resource) => skippedOf(resource, settings, names)),
  };
}

const tableType = 'aws_dynamodb_table';

function* resourcesOf(module: TemplateObject, depth: number): Generator<Resource> {
  if (depth > moduleDepthMax) throw new TemplateError([], 'The modules of the plan are nested too deeply.');
  for (const value of listOf(module.resources, ['resources'])) {
    const { address, type, mode, values } = objectOf(value, ['resources']);
    if (typeof address !== 'string' || typeof type !== 'string') {
      throw new TemplateError(['resources'], 'A resource has no address or no type.');
    }
    // Data sources read existing resources.
    if (mode !== 'data') yield { address, type, values: objectOf(values ?? {}, [address]) };
  }
  for (const child of listOf(module.child_modules, ['child_modules'])) {
    yield* resourcesOf(objectOf(child, ['child_modules']), depth + 1);
  }
}

/** Table settings that are separate resources, by the name of the table. */
interface Settings {
  readonly kinesis: ReadonlyMap<string, TemplateObject>;
  /** By table, or by table and index. */
  readonly insights: ReadonlyMap<string, TemplateObject>;
}

function settingsOf(resources: readonly Resource[]): Settings {
  const kinesis = new Map<string, TemplateObject>();
  const insights = new Map<string, TemplateObject>();
  for (const { type, values } of resources) {
    const { table_name: table } = values;
    if (typeof table !== 'string') continue;
    if (type === 'aws_dynamodb_kinesis_streaming_destination' && typeof values.stream_arn === 'string') {
      kinesis.set(table, {
        StreamArn: values.stream_arn,
        ...given('ApproximateCreationDateTimePrecision', values.approximate_creation_date_time_precision),
      });
    }
    if (type === 'aws_dynamodb_contributor_insights') {
      insights.set(insightsKey(table, values.index_name), { Enabled: true, ...given('Mode', values.mode) });
    }
  }
  return { kinesis, insights };
}

function insightsKey(table: string, index: TemplateValue | undefined): string {
  return JSON.stringify([table, index ?? '']);
}

/** The parts of other resources that concern tables but are not set up. */
const notApplied: Readonly<Record<string, string>> = {
  aws_dynamodb_table_item: 'an item',
  aws_dynamodb_table_replica: 'a replica as a separate resource',
  aws_dynamodb_global_table: 'a global table of version 2017',
  aws_dynamodb_resource_policy: 'a resource policy',
  aws_dynamodb_tag: 'a tag as a separate resource',
  aws_dynamodb_global_secondary_index: 'an index as a separate resource',
  aws_dynamodb_table_export: 'an export',
  aws_dynamodb_kinesis_streaming_destination:
    'a Kinesis destination whose table is not in the plan, or whose stream is not known yet',
  aws_dynamodb_contributor_insights: 'contributor insights of a table that is not in the plan',
};

/** @param tables - names of the tables of the plan that the separate settings belong to. */
function skippedOf(
  { address, type, values }: Resource,
  { kinesis }: Settings,
  tables: ReadonlySet<TemplateValue | undefined>,
): SkippedResource[] {
  const { table_name: table } = values;
  const isPartOfTable =
    typeof table === 'string' &&
    tables.has(table) &&
    (type === 'aws_dynamodb_contributor_insights' ||
      (type === 'aws_dynamodb_kinesis_streaming_destination' && kinesis.has(table)));
  if (isPartOfTable) return [];
  return [{ logicalId: address, type, ...optional('notApplied', notApplied[type] ?? scalingOrFunction(type, values)) }];
}

/** The id of the scaled resource is unknown before the plan is applied if it depends on an unknown value. */
function isScaling({ type, values }: Resource): boolean {
  const isKnown = typeof values.resource_id === 'string' && values.service_namespace === 'dynamodb';
  return isKnown && /^aws_appautoscaling_(target|policy)$/.test(type);
}

function scalingOf({ address, type, values }: Resource): DesiredScaling {
  const common = {
    ServiceNamespace: values.service_namespace ?? null,
    ResourceId: values.resource_id ?? null,
    ScalableDimension: values.scalable_dimension ?? null,
  };
  if (type === 'aws_appautoscaling_target') {
    const target = { ...common, MinCapacity: values.min_capacity ?? null, MaxCapacity: values.max_capacity ?? null };
    const properties = { ...target, ...given('RoleARN', values.role_arn) };
    return readAll(properties, [address], (all) => readScaling('target', address, all));
  }
  const properties = {
    ...common,
    ...given('PolicyName', values.name),
    ...given('PolicyType', values.policy_type),
    TargetTrackingScalingPolicyConfiguration: trackingOf(
      objectOf(listOf(values.target_tracking_scaling_policy_configuration, [address])[0] ?? {}, [address]),
      address,
    ),
  };
  return readAll(properties, [address], (all) => readScaling('policy', address, all));
}

function trackingOf(values: TemplateObject, address: string): TemplateObject {
  const metric = objectOf(listOf(values.predefined_metric_specification, [address])[0] ?? {}, [address]);
  return {
    ...given('TargetValue', values.target_value),
    ...given('ScaleInCooldown', values.scale_in_cooldown),
    ...given('ScaleOutCooldown', values.scale_out_cooldown),
    ...given('DisableScaleIn', values.disable_scale_in),
    PredefinedMetricSpecification: {
      ...given('PredefinedMetricType', metric.predefined_metric_type),
      ...(metric.resource_label !== '' && given('ResourceLabel', metric.resource_label)),
    },
  };
}

function scalingOrFunction(type: string, values: TemplateObject): string | undefined {
  if (/^aws_appautoscaling_(target|policy|scheduled_action)$/.test(type) && values.service_namespace === 'dynamodb') {
    return 'scheduled auto scaling, or auto scaling of a table whose name is not known yet';
  }
  const source = values.event_source_arn;
  // The ARN of a stream created in the same run is not known yet, and absent.
  const mayBeStream = typeof source === 'string' ? source.includes(':dynamodb:') : true;
  return type === 'aws_lambda_event_source_mapping' && mayBeStream ? 'a function that reads a stream' : undefined;
}

function tableOf(
  { address, values }: Resource,
  settings: Settings,
  context: DeployContext,
  resources: readonly Resource[],
): DesiredTable {
  const tags = tagsOf(values.tags_all ?? values.tags, address);
  const { template, replicas } = readAll(withoutEmpty(values), [address], (properties) =>
    templateOf(properties, { context, settings, tags }),
  );
  const table = readAll(template, [address], (properties) =>
    readTable(properties, { logicalId: shortest(address, resources), isRetained: false }, context),
  );
  const { TableName, GlobalSecondaryIndexes, DeletionProtectionEnabled } = table.create;
  return {
    ...table,
    replicas: replicas?.map((replica) => ({
      ...replica,
      create: {
        TableName,
        ...optional('GlobalSecondaryIndexes', GlobalSecondaryIndexes),
        ...optional('DeletionProtectionEnabled', DeletionProtectionEnabled),
        ...replica.create,
      },
    })),
  };
}

/** `orders` for `aws_dynamodb_table.orders`, if no other table has that name. */
function shortest(address: string, resources: readonly Resource[]): string {
  const nameOf = (each: string): string => each.slice(each.lastIndexOf(`${tableType}.`) + tableType.length + 1);
  const isAlone = resources.filter((each) => each.type === tableType && nameOf(each.address) === nameOf(address));
  return isAlone.length === 1 ? nameOf(address) : address;
}

type PartialReplica = Omit<DesiredReplica, 'create'> & {
  readonly create: Partial<DesiredReplica['create']>;
};

interface TemplateContext {
  readonly context: DeployContext;
  readonly settings: Settings;
  readonly tags: readonly { readonly Key: string; readonly Value: string }[];
}

/** A table in CloudFormation's spelling. Members computed by the provider are read and ignored. */
function templateOf(
  table: Properties,
  { context, settings, tags }: TemplateContext,
): { readonly template: TemplateObject; readonly replicas: readonly PartialReplica[] | undefined } {
  for (const name of computedMembers) table.raw(name);
  const name = table.text('name');
  if (name === undefined) throw table.error('name', 'This value is not known before the plan is applied.');
  const region = table.text('region');
  if (region !== undefined && region !== context.region) {
    throw table.error(
      'region',
      `The region is ${region}, but the deployment is to ${context.region}: give --region ${region}.`,
    );
  }
  const isProvisioned = (table.text('billing_mode') ?? 'PROVISIONED') === 'PROVISIONED';
  const restored = ['restore_source_name', 'restore_source_table_arn'].find((member) => table.has(member));
  if (restored !== undefined) throw table.error(restored, 'A table restored from another one cannot be deployed.');
  const insights = settings.insights.get(insightsKey(name, undefined));
  const template: TemplateObject = {
    TableName: name,
    BillingMode: isProvisioned ? 'PROVISIONED' : 'PAY_PER_REQUEST',
    AttributeDefinitions:
      table.list('attribute', (part) => ({
        AttributeName: part.needText('name'),
        AttributeType: part.needText('type'),
      })) ?? [],
    KeySchema: keySchemaOf(table),
    ...throughputOf(table, isProvisioned),
    ...given(
      'GlobalSecondaryIndexes',
      table.list('global_secondary_index', (part): TemplateObject => {
        const indexName = part.needText('name');
        const ofIndex = settings.insights.get(insightsKey(name, indexName));
        return {
          IndexName: indexName,
          KeySchema: keySchemaOf(part),
          Projection: projectionOf(part),
          ...throughputOf(part, isProvisioned),
          ...given('ContributorInsightsSpecification', ofIndex),
        };
      }),
    ),
    ...given(
      'LocalSecondaryIndexes',
      table.list('local_secondary_index', (part) => ({
        IndexName: part.needText('name'),
        KeySchema: [...keySchemaOf(table).slice(0, 1), { AttributeName: part.needText('range_key'), KeyType: 'RANGE' }],
        Projection: projectionOf(part),
      })),
    ),
    ...given('StreamSpecification', streamOf(table)),
    ...given('SSESpecification', single(table, 'server_side_encryption', encryptionOf)),
    ...given(
      'TimeToLiveSpecification',
      single(table, 'ttl', (part) => {
        const attribute = part.text('attribute_name');
        const isEnabled = part.boolean('enabled') ?? false;
        return isEnabled ? { Enabled: true, ...given('AttributeName', attribute) } : undefined;
      }),
    ),
    ...given('PointInTimeRecoverySpecification', single(table, 'point_in_time_recovery', recoveryOf)),
    ...given('TableClass', table.text('table_class')),
    ...given('DeletionProtectionEnabled', table.boolean('deletion_protection_enabled')),
    ...given('KinesisStreamSpecification', settings.kinesis.get(name)),
    ...given('ContributorInsightsSpecification', insights),
    ...given('ImportSourceSpecification', single(table, 'import_table', importOf)),
    ...(tags.length > 0 && { Tags: tags.map(({ Key, Value }) => ({ Key, Value })) }),
  };
  return { template, replicas: table.list('replica', (part) => replicaOf(part, tags)) };
}

/** Members that the provider reports for existing tables, or that concern only the provider. */
const computedMembers =
  'id arn stream_arn stream_label tags tags_all timeouts global_table_witness restore_to_latest_time restore_date_time'.split(
    ' ',
  );

function keySchemaOf(part: Properties): TemplateObject[] {
  // Since indexes may have several key attributes of one type, the provider has a list for them.
  const listed = part.list('key_schema', (element) => ({
    AttributeName: element.needText('attribute_name'),
    KeyType: element.needText('key_type'),
  }));
  const [hash, range] = [part.text('hash_key'), part.text('range_key')];
  if (listed !== undefined) return listed;
  if (hash === undefined) throw part.error('hash_key', 'This is missing.');
  return [
    { AttributeName: hash, KeyType: 'HASH' },
    ...(range === undefined ? [] : [{ AttributeName: range, KeyType: 'RANGE' }]),
  ];
}

function projectionOf(part: Properties): TemplateObject {
  return {
    ProjectionType: part.needText('projection_type'),
    ...given('NonKeyAttributes', part.texts('non_key_attributes')),
  };
}

/** Units without effect, those of an on-demand table, are read and ignored. */
function throughputOf(part: Properties, isProvisioned: boolean): TemplateObject {
  const [reads, writes] = [part.number('read_capacity'), part.number('write_capacity')];
  const onDemand = single(part, 'on_demand_throughput', (maxima) => ({
    ...given('MaxReadRequestUnits', setMaximum(maxima.number('max_read_request_units'))),
    ...given('MaxWriteRequestUnits', setMaximum(maxima.number('max_write_request_units'))),
  }));
  const warm = single(part, 'warm_throughput', (units) => ({
    ...given('ReadUnitsPerSecond', units.number('read_units_per_second')),
    ...given('WriteUnitsPerSecond', units.number('write_units_per_second')),
  }));
  const provisioned = { ReadCapacityUnits: reads ?? 1, WriteCapacityUnits: writes ?? 1 };
  return {
    ...(isProvisioned ? { ProvisionedThroughput: provisioned } : given('OnDemandThroughput', onDemand)),
    ...given('WarmThroughput', warm),
  };
}

/** -1 removes a maximum. */
function setMaximum(units: number | undefined): number | undefined {
  return units === -1 ? undefined : units;
}

function streamOf(table: Properties): TemplateObject | undefined {
  const isEnabled = table.boolean('stream_enabled') ?? false;
  const viewType = table.text('stream_view_type');
  return isEnabled ? { ...given('StreamViewType', viewType) } : undefined;
}

function encryptionOf(part: Properties): TemplateObject | undefined {
  const isEnabled = part.boolean('enabled') ?? false;
  const key = part.text('kms_key_arn');
  return isEnabled ? { SSEEnabled: true, SSEType: 'KMS', ...given('KMSMasterKeyId', key) } : undefined;
}

function recoveryOf(part: Properties): TemplateObject {
  return {
    PointInTimeRecoveryEnabled: part.boolean('enabled') ?? false,
    ...given('RecoveryPeriodInDays', part.number('recovery_period_in_days')),
  };
}

function importOf(part: Properties): TemplateObject {
  return {
    InputFormat: part.needText('input_format'),
    ...given('InputCompressionType', part.text('input_compression_type')),
    ...given(
      'InputFormatOptions',
      single(part, 'input_format_options', (options) => ({
        ...given(
          'Csv',
          single(options, 'csv', (csv) => ({
            ...given('Delimiter', csv.text('delimiter')),
            ...given('HeaderList', csv.texts('header_list')),
          })),
        ),
      })),
    ),
    ...given(
      'S3BucketSource',
      single(part, 's3_bucket_source', (source) => ({
        S3Bucket: source.needText('bucket'),
        ...given('S3BucketOwner', source.text('bucket_owner')),
        ...given('S3KeyPrefix', source.text('key_prefix')),
      })),
    ),
  };
}

function replicaOf(part: Properties, tags: TemplateContext['tags']): PartialReplica {
  for (const name of ['arn', 'stream_arn', 'stream_label']) part.raw(name);
  const region = part.needText('region_name');
  const consistency = part.text('consistency_mode');
  if (consistency !== undefined && consistency !== 'EVENTUAL') {
    throw part.error('consistency_mode', 'Only EVENTUAL can be deployed.');
  }
  const hasRecovery = part.boolean('point_in_time_recovery') ?? false;
  const hasTags = part.boolean('propagate_tags') ?? false;
  const isProtected = part.boolean('deletion_protection_enabled');
  return {
    region,
    creation: { RegionName: region, ...optional('KMSMasterKeyId', part.text('kms_key_arn')) },
    create: {
      ...(hasTags && { Tags: tags.map((tag) => ({ ...tag })) }),
      ...optional('DeletionProtectionEnabled', isProtected),
    },
    more: { ...noSettings, pointInTimeRecovery: { PointInTimeRecoveryEnabled: hasRecovery } },
  };
}

/** A block that a resource has at most once, which plans print as a list of one. */
function single<T>(properties: Properties, name: string, read: (part: Properties) => T): T | undefined {
  return properties.list(name, read)?.[0];
}

/** A member of a template, if it has a value. */
function given(name: string, value: TemplateValue | undefined): TemplateObject {
  return value === undefined || value === null ? {} : { [name]: value };
}

function tagsOf(value: TemplateValue | undefined, address: string): TemplateContext['tags'] {
  if (value === undefined || value === null) return [];
  return Object.entries(objectOf(value, [address, 'tags'])).map(([Key, text]) => ({
    Key,
    Value: scalarText(text, [address, 'tags', Key]),
  }));
}

function listOf(value: TemplateValue | undefined, path: readonly string[]): readonly TemplateValue[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new TemplateError(path, 'This must be a list.');
  return value as readonly TemplateValue[];
}

/** Removes absent arguments, which plans print as null, empty texts and empty lists. */
function withoutEmpty(values: TemplateObject): TemplateObject {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]): [string, TemplateValue][] => {
      if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return [];
      if (Array.isArray(value)) return [[name, value.map((each: TemplateValue) => elementOf(each))]];
      return [[name, value]];
    }),
  );
}

function elementOf(value: TemplateValue): TemplateValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? withoutEmpty(value as TemplateObject)
    : value;
}
