import type { Model } from '../model.ts';
import { tableDefinitions, timeToLiveAttributes } from '../resolve/table-definitions.ts';
import { identifier, unused } from './draft.ts';

/** A template of AWS CloudFormation, as data that can be written as JSON. */
export interface CloudFormationTemplate {
  /** The version of the template language. */
  readonly AWSTemplateFormatVersion: '2010-09-09';
  /** A description of the template. */
  readonly Description: string;
  /** The tables, by logical id. */
  readonly Resources: { readonly [logicalId: string]: object };
  /** The names, ARNs and streams of the tables. */
  readonly Outputs: { readonly [name: string]: object };
}

/** How a template names its tables. */
export interface CloudFormationOptions {
  /** Names of tables that differ from those of the model. */
  readonly tables?: { readonly [table: string]: string };
}

/**
 * The tables of a model with their indexes, streams and time to live. They are kept when the stack is deleted, and have
 * point-in-time recovery, because the data outlives the stack.
 */
export function toCloudFormation(model: Model, { tables = {} }: CloudFormationOptions = {}): CloudFormationTemplate {
  const expires = timeToLiveAttributes(model);
  const ids = new Set<string>();
  const resources = tableDefinitions(model, tables).map((definition, i): [string, object] => {
    const declared = Object.keys(model.tables)[i] ?? '';
    // `my-orders` and `my_orders` are different tables.
    const id = unused(`${identifier(declared, 'Type')}Table`, ids);
    ids.add(id);
    const { StreamSpecification: stream, ...rest } = definition;
    const attribute = expires[declared];
    return [
      id,
      {
        Type: 'AWS::DynamoDB::Table',
        DeletionPolicy: 'Retain',
        UpdateReplacePolicy: 'Retain',
        Properties: {
          ...rest,
          ...(stream !== undefined && { StreamSpecification: { StreamViewType: stream.StreamViewType } }),
          ...(attribute !== undefined && { TimeToLiveSpecification: { AttributeName: attribute, Enabled: true } }),
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        },
      },
    ];
  });
  return {
    AWSTemplateFormatVersion: '2010-09-09',
    Description: `Tables of the model ${model.name}`,
    Resources: Object.fromEntries(resources),
    Outputs: Object.fromEntries(resources.map(([id]) => [`${id}Name`, { Value: { Ref: id } }])),
  };
}
