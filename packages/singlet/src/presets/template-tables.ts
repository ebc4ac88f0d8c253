import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Database } from '../index.ts';
import type { DesiredTable } from '../templates/desired-table.ts';
import { readDeployment } from '../templates/read-tables.ts';
import { TemplateError } from '../templates/template-error.ts';

/** A file that declares tables, and values for what it leaves open. */
export interface TableTemplate {
  /** Its path. */
  readonly file: string;
  /** Values of parameters, and of references that the file cannot resolve: `{ Stage: 'test', 'Key.Arn': '…' }`. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /** The prefix of table names that are not given. By default the name of the file up to its first dot. */
  readonly stackName?: string | undefined;
}

interface Created {
  readonly TableDescription: { readonly LatestStreamArn?: string };
}

/** The region and the account of requests without credentials, so that ARNs in the template name what the test has. */
const region = 'us-east-1';
const accountId = '000000000000';

/**
 * Creates the tables of a CloudFormation or CDK template, a Terraform plan (`terraform show -json`) or table definitions, with their time to live,
 * point-in-time recovery and policies. What needs another region or service is left out: replicas, Kinesis destinations, imports, auto scaling, insights.
 *
 * @throws {TemplateError} if the file cannot be read, or declares no table.
 * @throws {DynamoError} the service's error for a table that it refuses.
 */
export async function createTemplateTables(database: Database, template: string | TableTemplate): Promise<void> {
  const {
    file,
    parameters = {},
    stackName,
  }: TableTemplate = typeof template === 'string' ? { file: template } : template;
  const text = await textOf(file);
  const context = {
    accountId,
    region,
    stackName: stackName ?? basename(file).replace(/\..*$/, ''),
    given: new Map(Object.entries(parameters)),
  };
  const { tables } = await readDeployment(text, context, 'A template in YAML');
  if (tables.length === 0) throw new TemplateError([], `${file} declares no tables.`);
  for (const table of tables) await createTable(database, table);
}

async function createTable(database: Database, { create, more }: DesiredTable): Promise<void> {
  const { TableName } = create;
  const created = (await database.request('CreateTable', create)) as Created;
  if (more?.timeToLive?.Enabled === true) {
    await database.request('UpdateTimeToLive', { TableName, TimeToLiveSpecification: more.timeToLive });
  }
  if (more?.pointInTimeRecovery?.PointInTimeRecoveryEnabled === true) {
    const PointInTimeRecoverySpecification = more.pointInTimeRecovery;
    await database.request('UpdateContinuousBackups', { TableName, PointInTimeRecoverySpecification });
  }
  if (more?.streamPolicy !== undefined) {
    const ResourceArn = created.TableDescription.LatestStreamArn;
    await database.request('PutResourcePolicy', { ResourceArn, Policy: more.streamPolicy });
  }
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new TemplateError([], `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
