import { describe, expect, test } from 'vitest';
import { readDeployment } from './read-tables.ts';

const template = `
Parameters:
  Stage: { Type: String, Default: dev }
  Spare: { Type: String, Default: x }
Conditions:
  IsProd: !Equals [!Ref Stage, prod]
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub orders-\${Stage}
      BillingMode: PAY_PER_REQUEST
      KeySchema: [{ AttributeName: id, KeyType: HASH }]
      AttributeDefinitions: [{ AttributeName: id, AttributeType: S }]
      SSESpecification: !If [IsProd, { SSEEnabled: true, KMSMasterKeyId: !GetAtt Key.Arn }, !Ref AWS::NoValue]
  Function: { Type: AWS::Lambda::Function, Properties: { Role: !GetAtt Role.Arn } }
`;

async function read(given: Readonly<Record<string, string>>, text: string = template): Promise<unknown> {
  const context = { accountId: '000000000000', region: 'us-east-1', stackName: 'shop' };
  const { tables } = await readDeployment(text, { ...context, given: new Map(Object.entries(given)) });
  return tables.map(({ create }) => create.TableName);
}

describe('values for parameters', () => {
  test.each([
    [
      'a parameter that is used',
      { Stage: 'prod', 'Key.Arn': 'arn:aws:kms:us-east-1:000000000000:key/k' },
      'orders-prod',
    ],
    ['a parameter that is only declared', { Spare: 'y' }, 'orders-dev'],
    ['a reference in a branch that is not taken', { 'Key.Arn': 'k' }, 'orders-dev'],
    ['a reference of a resource that is skipped', { 'Role.Arn': 'r' }, 'orders-dev'],
  ])('%s', async (_, given, name) => {
    expect(await read(given)).toEqual([name]);
  });

  // With the default of the parameter that was meant, other tables would be deployed.
  test.each(['Stag', 'stage', 'Stages', 'Keys.Arn', 'Nothing'])('%s is no parameter', async (name) => {
    await expect(read({ [name]: 'prod' })).rejects.toThrow(
      `The file has no parameter or reference ${name}, to which a value was given.`,
    );
  });
});

test.each(['', 'resource "aws_dynamodb_table" "orders" { name = "orders" }', 'PK\u0003\u0004'])(
  'a file without tables says what it reads of Terraform: %j',
  async (text) => {
    await expect(read({}, text)).rejects.toThrow('For Terraform it is what terraform show -json prints of a plan.');
  },
);
