import { describe, expect, test } from 'vitest';
import { mentionsSdk, sdkImportsIn } from './testing/boundary.ts';

describe('S-20: keys and the AWS SDK stay behind the models', () => {
  test.each([
    ['session-store', []],
    ['e-commerce', []],
    ['dating-app', []],
    ['job-scheduler', []],
    ['blog', []],
    ['lesson-shop', []],
    ['tenants', []],
    // The launchers create the clients.
    ['access-control', ['http/propagation.ts']],
    ['big-time-deals', ['http/start.ts']],
    ['support-desk', []],
    ['github', []],
    ['github-migrations', ['migrate-until-killed.ts', 'under-load/run.ts']],
    // DynamoDB exports whole tables; no pattern of a model does.
    ['additive-manufacturing', ['data-lake.ts', 'http/statistics.ts']],
  ])('%s', async (application, apart) => {
    expect(await sdkImportsIn(new URL(`./${application}/`, import.meta.url))).toEqual(apart);
  });

  test.each([
    `import { QueryCommand } from '@aws-sdk/client-dynamodb';`,
    `import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";`,
    `import {\n  GetCommand,\n} from '@aws-sdk/lib-dynamodb';`,
    `export * from '@aws-sdk/lib-dynamodb';`,
    `import '@smithy/types';`,
    `const sdk = await import('@aws-sdk/client-dynamodb');`,
  ])('notices %j', (planted) => {
    expect(mentionsSdk(planted)).toBe(true);
  });

  test('does not take a word in a comment for an import', () => {
    expect(mentionsSdk('// is not aware of @aws-sdk/client-dynamodb')).toBe(false);
  });
});
