import { readDeployment, type Deployment } from './read-tables.ts';
import { isObject, readTemplate, type TemplateObject, type TemplateValue } from './read-template.ts';
import { TemplateError } from './template-error.ts';
import { type DeployContext, tableTypes } from './template-scope.ts';

/** Properties of a table that say what its items look like. The others may refer to resources that exist only once deployed. */
const layoutProperties = [
  'TableName',
  'AttributeDefinitions',
  'KeySchema',
  'LocalSecondaryIndexes',
  'PrimaryKey',
  'StreamSpecification',
  'TimeToLiveSpecification',
];
const indexProperties = ['IndexName', 'KeySchema', 'Projection'];

/**
 * Reads the tables of a file as `readDeployment` does, but only their keys, indexes, streams and times to live. Regions, replicas, keys of
 * encryption and throughput need no value, and a table whose name cannot be resolved gets the default name.
 *
 * @throws {TemplateError} as `readDeployment`.
 */
export async function readLayouts(text: string, context: DeployContext): Promise<Deployment['tables']> {
  const value = await readTemplate(text);
  if (!isObject(value) || !('Resources' in value)) return (await readDeployment(text, context)).tables;
  let template = withLayoutsOnly(value);
  for (;;) {
    try {
      return (await readDeployment(JSON.stringify(template), context)).tables;
    } catch (error) {
      const unnamed = error instanceof TemplateError ? withoutName(template, error.path) : undefined;
      if (unnamed === undefined) throw error;
      template = unnamed;
    }
  }
}

function withLayoutsOnly(template: TemplateObject): TemplateObject {
  return {
    ...template,
    Resources: mapped(template['Resources'], (resource) => {
      const type = tableTypes.find((known) => known === resource['Type']);
      if (type === undefined) return { Type: 'other' };
      const { Properties: properties, Condition: condition } = resource;
      const indexes = isObject(properties) ? properties['GlobalSecondaryIndexes'] : undefined;
      return {
        Type: type === 'AWS::DynamoDB::GlobalTable' ? 'AWS::DynamoDB::Table' : type,
        ...(condition !== undefined && { Condition: condition }),
        Properties: {
          ...(isObject(properties) && chosen(properties, layoutProperties)),
          ...(type !== 'AWS::Serverless::SimpleTable' && { BillingMode: 'PAY_PER_REQUEST' }),
          ...(indexes !== undefined && {
            GlobalSecondaryIndexes: Array.isArray(indexes)
              ? indexes.map((index: TemplateValue) => (isObject(index) ? chosen(index, indexProperties) : index))
              : indexes,
          }),
        },
      };
    }),
  };
}

/** The template with the default name for the table whose name is at a path; undefined if the path is of something else. */
function withoutName(template: TemplateObject, path: string): TemplateObject | undefined {
  const [section, logicalId = '', ...within] = path.split('.');
  if (section !== 'Resources' || within[0] !== 'Properties' || within[1] !== 'TableName') return undefined;
  return {
    ...template,
    Resources: mapped(template['Resources'], (resource, id) => {
      if (id !== logicalId || !isObject(resource['Properties'])) return resource;
      const { TableName: _, ...others } = resource['Properties'];
      return { ...resource, Properties: others };
    }),
  };
}

function mapped(
  resources: TemplateValue | undefined,
  of: (resource: TemplateObject, id: string) => TemplateObject,
): TemplateValue {
  if (!isObject(resources)) return resources ?? null;
  return Object.fromEntries(
    Object.entries(resources).map(([id, resource]) => [id, isObject(resource) ? of(resource, id) : resource]),
  );
}

function chosen(object: TemplateObject, names: readonly string[]): TemplateObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
}
