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
 * @throws {TemplateError} if it is none of these, two tables have the same name, or a given value has nothing to be the value of.
 * @throws {MissingPackageError} if it is YAML, and the package for it is not installed.
 */
export async function readDeployment(text: string, given: DeployContext, use?: string): Promise<Deployment> {
  const value = await (use === undefined ? readTemplate(text) : loadPackage(use, () => readTemplate(text)));
  if (typeof value !== 'object' || value === null) {
    throw new TemplateError(
      [],
      'The file contains no template, plan or definition of a table. For Terraform it is what terraform show -json prints of a plan.',
    );
  }
  const used = new Set<string>();
  const context = { ...given, given: recordedIn(used, given.given) };
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
  // A reference in a branch that is not taken, or in a resource that is skipped, is not resolved, but is in the text.
  const unused = [...given.given.keys()].find((name) => !used.has(name) && !isInText(name, text));
  if (unused !== undefined)
    throw new TemplateError([], `The file has no parameter or reference ${unused}, to which a value was given.`);
  return deployment;
}

/** The given values; the names that are looked up are added to `used`. */
function recordedIn(used: Set<string>, given: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new (class extends Map<string, string> {
    override get(name: string): string | undefined {
      used.add(name);
      return super.get(name);
    }
  })(given);
}

/** Whether the text names the parameter, or the resource that the reference `Key.Arn` begins with. */
function isInText(reference: string, text: string): boolean {
  const [name = ''] = reference.split('.');
  return new RegExp(`(?<!\\w)${name.replaceAll(/\W/g, '\\$&')}(?!\\w)`).test(text);
}
