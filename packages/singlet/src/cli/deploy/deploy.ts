import type * as Sdk from '@aws-sdk/client-dynamodb';
import { applyPlan } from './apply-plan.ts';
import type { PlanStep, RegionClients, TablePlan } from './plan.ts';
import { planTable } from './plan-table.ts';
import { readPresentTable } from './present-table.ts';
import type { Deployment } from '../../templates/read-tables.ts';
import { withScaledThroughput } from './scaled-throughput.ts';

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
