import type * as Sdk from '@aws-sdk/client-dynamodb';
import { applyPlan } from './apply-plan.ts';
import type { DesiredScaling } from './desired-scaling.ts';
import type { DesiredTable } from './desired-table.ts';
import type { PlanStep, RegionClients, TablePlan } from './plan.ts';
import { planTable } from './plan-table.ts';
import { readPresentTable } from './present-table.ts';
import { readTemplate } from './read-template.ts';
import { withScaledThroughput } from './scaled-throughput.ts';
import { tablesOfDefinitions } from './table-definitions.ts';
import { type SkippedResource, tablesOfTemplate } from './table-resources.ts';
import { TemplateError } from './template-error.ts';
import type { DeployContext } from './template-scope.ts';
import { isTerraformPlan, tablesOfTerraform } from './terraform-plan.ts';

/** The tables defined by a file. */
export interface Deployment {
  readonly tables: readonly DesiredTable[];
  readonly scalings: readonly DesiredScaling[];
  readonly skipped: readonly SkippedResource[];
}

/**
 * Reads the text of a file: a CloudFormation template in JSON or YAML, a Terraform plan in JSON, or table definitions.
 *
 * @throws {TemplateError} if it is none of these, or two tables have the same name.
 */
export async function readDeployment(text: string, context: DeployContext): Promise<Deployment> {
  const value = await readTemplate(text);
  const isTemplate = typeof value === 'object' && value !== null && !Array.isArray(value) && 'Resources' in value;
  const deployment = isTemplate
    ? tablesOfTemplate(value, context)
    : isTerraformPlan(value)
      ? tablesOfTerraform(value, context)
      : { tables: tablesOfDefinitions(value), scalings: [], skipped: [] };
  const names = new Set<string>();
  for (const { logicalId, create } of deployment.tables) {
    if (names.has(create.TableName)) throw new TemplateError([logicalId], `There are two tables ${create.TableName}.`);
    names.add(create.TableName);
  }
  return deployment;
}

/** The changes required for an endpoint to have the tables. */
export async function planDeployment(
  sdk: typeof Sdk,
  clients: RegionClients,
  { tables, scalings }: Pick<Deployment, 'tables' | 'scalings'>,
  options: { readonly canReplace: boolean },
): Promise<readonly TablePlan[]> {
  const plans: TablePlan[] = [];
  for (const desired of tables) {
    const present = await readPresentTable(sdk, clients, desired);
    plans.push(planTable(withScaledThroughput(desired, present.description, scalings), present, options));
  }
  return plans;
}

/** Applies the changes. @throws {DeployError} at the first change that fails. */
export async function applyDeployment(
  sdk: typeof Sdk,
  clients: RegionClients,
  plans: readonly TablePlan[],
  onStep: (plan: TablePlan, step: PlanStep) => void,
): Promise<void> {
  for (const plan of plans) await applyPlan(sdk, clients, plan, (step) => onStep(plan, step));
}
