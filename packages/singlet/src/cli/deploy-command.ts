import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { Command, Option } from 'commander';
import type { DynamoDBClient, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { applyDeployment, planDeployment } from './deploy/deploy.ts';
import { planScalings, type ScalingSession } from './deploy/plan-scaling.ts';
import { planJson, printPlan } from './deploy/print-plan.ts';
import { readDeployment } from '../templates/read-tables.ts';
import type { SkippedResource } from '../templates/table-resources.ts';
import {
  endpointConfig,
  endpointOfRegion,
  type EndpointFlags,
  endpointProblem,
  regionEndpointOf,
  regionOrDefault,
  withEndpoint,
} from './endpoint-client.ts';
import { isConfirmed } from './confirmation.ts';
import { errorOutput } from './error-output.ts';
import { fileProblem } from './file-problem.ts';
import { collectParameter } from './template-parameter.ts';
import { UsageError } from './usage-error.ts';
import { loadPackage } from '../values/missing-package.ts';

interface DeployFlags extends EndpointFlags {
  /** By region: endpoints of replicas that this endpoint does not serve. */
  readonly replicaEndpoint?: Readonly<Record<string, string>>;
  readonly account: string;
  readonly stackName?: string;
  readonly parameter: ReadonlyMap<string, string>;
  readonly plan?: boolean;
  readonly yes?: boolean;
  readonly replace?: boolean;
  /** Types of resources that are deliberately left out. */
  readonly skip?: readonly string[];
  readonly json?: boolean;
}

/** The maximum size of a file, bytes. */
const fileBytesMax = 4 * 1024 * 1024;

const examples = `
Examples:
  $ singlet deploy template.yaml                            creates and changes tables to match the template
  $ singlet deploy template.yaml --plan                     shows the changes; exit code 2 if there are any
  $ singlet deploy template.yaml --parameter Stage=test     with values for parameters
  $ terraform plan -out plan && terraform show -json plan > plan.json && singlet deploy plan.json
  $ aws dynamodb describe-table --table-name orders > orders.json && singlet deploy orders.json

FILE is a CloudFormation template (AWS::DynamoDB::Table, AWS::DynamoDB::GlobalTable, AWS::Serverless::SimpleTable) in YAML or JSON,
a Terraform plan (terraform show -json), or the input of CreateTable, one or a list. The exit code is 1 if a step fails.`;

export function deployCommand(): Command {
  const command = new Command('deploy')
    .summary('create and change tables to match a template')
    .description(
      'Creates and changes the tables of an endpoint to match a template or table definitions. A second run changes nothing.',
    )
    .argument('<file>', 'template, Terraform plan or table definitions, YAML or JSON')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet deploy --help'))
    .addOption(
      new Option(
        '--replica-endpoint <region=url>',
        'endpoint of another region with replicas, if --endpoint does not serve it; may be repeated',
      )
        .default({}, 'none')
        .argParser(regionEndpointOf),
    )
    .addOption(new Option('--account <id>', 'account in ARNs of the template').default('000000000000'))
    .addOption(
      new Option('--stack-name <name>', 'prefix of table names that are not given; by default the name of the file'),
    )
    .addOption(
      new Option(
        '--parameter <name=value>',
        'value of a parameter, or of a reference that cannot be resolved; may be repeated',
      )
        .default(new Map<string, string>(), 'none')
        .argParser(collectParameter),
    )
    .addOption(new Option('--plan', 'show the changes without making them'))
    .addOption(new Option('-y, --yes', 'do not ask for confirmation'))
    .addOption(
      new Option('--replace', 'delete tables that cannot be changed in place, with their items, and create them again'),
    )
    .addOption(
      new Option(
        '--skip <type>',
        'resource type that cannot be deployed, to leave out, such as AWS::Lambda::EventSourceMapping; may be repeated',
      )
        .default([], 'none')
        .argParser((type: string, given: readonly string[]) => [...given, type]),
    )
    .addOption(new Option('--json', 'print the plan as JSON'))
    .addHelpText('after', examples)
    .action(async (file: string, flags: DeployFlags) => {
      process.exitCode = await runDeploy(file, flags, process.stdout).catch((error: unknown) => {
        throw endpointProblem(error, flags);
      });
    });
  return withEndpoint(command);
}

/**
 * Plans and applies a deployment.
 *
 * @returns the exit code: 0 if the tables match the file, 2 if only a plan was requested and it contains changes.
 * @throws {UsageError} if something cannot be read or applied. Also, after everything else has been applied, if the file contains settings for
 *   its tables that are not supported.
 */
export async function runDeploy(
  file: string,
  flags: DeployFlags,
  output: { write(text: string): unknown },
): Promise<number> {
  const text = await readText(file);
  const home = regionOrDefault(flags);
  const deployment = await readDeployment(text, {
    accountId: flags.account,
    region: home,
    stackName: flags.stackName ?? basename(file, extname(file)),
    given: flags.parameter,
  });
  const sdk = await import('@aws-sdk/client-dynamodb');
  const clients = new Map<string, DynamoDBClient>([
    [home, new sdk.DynamoDBClient(endpointConfig({ ...flags, region: home }))],
  ]);
  const clientOf = (region: string = home): DynamoDBClient => {
    const known = clients.get(region);
    if (known !== undefined) return known;
    const replica = flags.replicaEndpoint?.[region];
    const endpoint = replica ?? endpointOfRegion(flags.endpoint, home, region);
    const client = new sdk.DynamoDBClient(
      endpointConfig({ endpoint, region, ...(replica === undefined && { aws: flags.aws }) }),
    );
    clients.set(region, client);
    return client;
  };
  let scaling: ScalingSession | undefined;
  try {
    const tablePlans = await planDeployment(sdk, clientOf, deployment, { canReplace: flags.replace === true });
    const scalingPlans =
      deployment.scalings.length === 0
        ? []
        : await planScalings((scaling = await openScaling(flags, home)), deployment.scalings);
    const plans = [...tablePlans, ...scalingPlans];
    const hasChanges = plans.some(({ steps }) => steps.length > 0);
    output.write(
      flags.json === true
        ? `${JSON.stringify(planJson(plans, deployment.skipped), undefined, 2)}\n`
        : printPlan(plans, deployment.skipped),
    );
    if (plans.some(({ action }) => action === 'refused')) return 1;
    if (flags.plan === true) return hasChanges ? 2 : 0;
    const unfinished = problemOfSkipped(deployment.skipped, flags.skip ?? []);
    if (!hasChanges) {
      if (unfinished !== undefined) throw unfinished;
      return 0;
    }
    if (flags.yes !== true && !(await isConfirmed(process.stdin, process.stdout)))
      throw new UsageError('Nothing was done.');
    const total = plans.reduce((sum, { steps }) => sum + steps.length, 0);
    let done = 0;
    await applyDeployment(sdk, clientOf, plans, ({ tableName }, { sign, text: change }) => {
      done += 1;
      if (flags.json !== true) output.write(`[${done}/${total}] ${tableName}: ${sign} ${change}\n`);
    });
    if (unfinished !== undefined) throw unfinished;
    if (flags.json !== true) output.write('Done.\n');
    return 0;
  } finally {
    for (const client of clients.values()) client.destroy();
    scaling?.client.destroy();
  }
}

/** The client of the service that scales tables. Amazon's has a separate endpoint; other servers answer for both. */
async function openScaling(flags: EndpointFlags, region: string): Promise<ScalingSession> {
  const sdk = await loadPackage('Auto scaling of tables', () => import('@aws-sdk/client-application-auto-scaling'));
  const { endpoint, ...config } = endpointConfig({ ...flags, region });
  const isAmazon = typeof endpoint === 'string' && /\.amazonaws\.com(\.cn)?$/.test(new URL(endpoint).hostname);
  const at = endpoint === undefined || isAmazon ? {} : { endpoint };
  return { sdk, client: new sdk.ApplicationAutoScalingClient({ region, ...credentialsOf(config), ...at }) };
}

function credentialsOf({
  credentials,
}: Pick<DynamoDBClientConfig, 'credentials'>): Pick<DynamoDBClientConfig, 'credentials'> {
  return credentials === undefined ? {} : { credentials };
}

/** The error of a deployment that has left out something that belongs to its tables. */
function problemOfSkipped(skipped: readonly SkippedResource[], known: readonly string[]): UsageError | undefined {
  const missing = skipped.filter(({ type, notApplied }) => notApplied !== undefined && !known.includes(type));
  if (missing.length === 0) return undefined;
  const lines = missing.map(({ logicalId, type, notApplied }) => `  ${logicalId} (${type}): ${notApplied}`);
  const types = [...new Set(missing.map(({ type }) => `--skip ${type}`))].join(' ');
  return new UsageError(
    `The tables match the file, but this was not applied:\n${lines.join('\n')}\nTo leave it out: ${types}`,
  );
}

async function readText(file: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    throw fileProblem(file, error);
  }
  if (bytes.length > fileBytesMax) throw new UsageError(`${file} is larger than ${fileBytesMax} bytes.`);
  return bytes.toString('utf8');
}
