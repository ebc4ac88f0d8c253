import { loadPackage } from '../values/missing-package.ts';
import type { DesiredScaling } from './desired-scaling.ts';
import type { DesiredTable } from './desired-table.ts';
import { readTemplate } from './read-template.ts';
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
 * Reads the text of a file: a CloudFormation template in JSON or YAML, a Terraform plan in JSON, or table definitions. `singlet deploy` and the
 * databases of tests read the same files (decision 0120).
 *
 * @param use - what needs the package for YAML, if it is not installed: the subject of the error. Commands name themselves.
 * @throws {TemplateError} if it is none of these, or two tables have the same name.
 * @throws {MissingPackageError} if it is YAML, and the package for it is not installed.
 */
export async function readDeployment(text: string, context: DeployContext, use?: string): Promise<Deployment> {
  const value = await (use === undefined ? readTemplate(text) : loadPackage(use, () => readTemplate(text)));
  if (typeof value !== 'object' || value === null) {
    throw new TemplateError([], 'The file contains no template, plan or definition of a table.');
  }
  const isTemplate = !Array.isArray(value) && 'Resources' in value;
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
