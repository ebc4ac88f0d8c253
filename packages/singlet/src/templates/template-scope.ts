import type { TemplateScope } from './intrinsics.ts';
import { memberOf } from './intrinsics.ts';
import { scalarText, type TemplateObject, type TemplateValue } from './read-template.ts';
import { TemplateError } from './template-error.ts';

export interface DeployContext {
  readonly accountId: string;
  readonly region: string;
  readonly stackName: string;
  /** Values given on the command line for parameters, and for references that cannot be resolved here (`Key.Arn`). */
  readonly given: ReadonlyMap<string, string>;
}

/** CloudFormation appends random letters to such a name. Without them the next deployment finds the table. */
export function defaultName({ stackName }: DeployContext, logicalId: string): string {
  return `${stackName}-${logicalId}`;
}

/** The values that the functions of a template refer to: its parameters, mappings and conditions, and the future names of its resources. */
export function templateScope(
  template: TemplateObject,
  context: DeployContext,
  nameOf: (logicalId: string, type: string, propertyOf: (name: string) => TemplateValue | undefined) => string,
): TemplateScope {
  const { accountId, region, stackName, given } = context;
  const resources = objectOf(template.Resources, ['Resources']);
  const pseudo = new Map<string, string>([
    ['AWS::AccountId', accountId],
    ['AWS::Partition', 'aws'],
    ['AWS::Region', region],
    ['AWS::StackName', stackName],
    ['AWS::StackId', `arn:aws:cloudformation:${region}:${accountId}:stack/${stackName}/${stackName}`],
    ['AWS::URLSuffix', 'amazonaws.com'],
  ]);
  return {
    parameters: parametersOf(objectOf(template.Parameters ?? {}, ['Parameters']), given),
    mappings: objectOf(template.Mappings ?? {}, ['Mappings']),
    conditions: objectOf(template.Conditions ?? {}, ['Conditions']),
    pseudoParameters: pseudo,
    resource: (logicalId, attribute) => {
      const value = given.get(attribute === undefined ? logicalId : `${logicalId}.${attribute}`);
      if (value !== undefined) return value;
      const resource = memberOf(resources, logicalId);
      if (resource === undefined) return undefined;
      const { Type: type, Properties: properties } = objectOf(resource, ['Resources', logicalId]);
      if (typeof type !== 'string') return undefined;
      const propertyOf = (name: string): TemplateValue | undefined =>
        properties === undefined ? undefined : memberOf(objectOf(properties, ['Resources', logicalId]), name);
      return attributeOf({ type, attribute, accountId, region }, () => nameOf(logicalId, type, propertyOf));
    },
  };
}

/** The types of tables that are deployed. */
export const tableTypes = [
  'AWS::DynamoDB::Table',
  'AWS::DynamoDB::GlobalTable',
  'AWS::Serverless::SimpleTable',
] as const;

/** The value of a reference to a table, or to a Kinesis data stream. */
function attributeOf(
  resource: {
    readonly type: string;
    readonly attribute: string | undefined;
    readonly accountId: string;
    readonly region: string;
  },
  name: () => string,
): string | undefined {
  const { type, attribute, accountId, region } = resource;
  // A policy that refers to its target in this way gets all it needs to know about it.
  if (type === 'AWS::ApplicationAutoScaling::ScalableTarget') return attribute === undefined ? name() : undefined;
  const isTable = tableTypes.some((known) => known === type);
  if (!isTable && type !== 'AWS::Kinesis::Stream') return undefined;
  if (attribute === undefined) return name();
  if (attribute !== 'Arn') return undefined;
  return isTable
    ? `arn:aws:dynamodb:${region}:${accountId}:table/${name()}`
    : `arn:aws:kinesis:${region}:${accountId}:stream/${name()}`;
}

function parametersOf(
  declarations: TemplateObject,
  given: ReadonlyMap<string, string>,
): ReadonlyMap<string, TemplateValue> {
  return new Map(
    Object.entries(declarations).flatMap(([name, declaration]) => {
      const path = ['Parameters', name];
      const { Type: type, Default: fallback, AllowedValues: allowed } = objectOf(declaration, path);
      const value = given.get(name) ?? fallback;
      // An error only if it is used.
      if (value === undefined) return [];
      const text = scalarText(value, path);
      if (Array.isArray(allowed) && !allowed.map(String).includes(text)) {
        throw new TemplateError(path, `${JSON.stringify(text)} is not one of ${allowed.map(String).join(', ')}.`);
      }
      if (type === 'Number' && !Number.isFinite(Number(text))) {
        throw new TemplateError(path, `${JSON.stringify(text)} is not a number.`);
      }
      const isList = type === 'CommaDelimitedList' || (typeof type === 'string' && type.startsWith('List<'));
      return [[name, isList ? text.split(',').map((part) => part.trim()) : text] as const];
    }),
  );
}

/** @throws {TemplateError} if it is not an object. */
export function objectOf(value: TemplateValue | undefined, path: readonly (string | number)[]): TemplateObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as TemplateObject;
  throw new TemplateError(path, 'This must be an object.');
}
