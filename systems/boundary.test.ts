import { describe, expect, test } from 'vitest';
import { mentionsSdk, sdkImportsIn } from './testing/boundary.ts';

describe('S-20: keys and the AWS SDK stay behind the models', () => {
  test.each(['session-store', 'e-commerce', 'additive-manufacturing'])('%s', async (application) => {
    expect(await sdkImportsIn(new URL(`./${application}/`, import.meta.url))).toEqual([]);
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
    expect(mentionsSdk('// knows nothing of @aws-sdk/client-dynamodb')).toBe(false);
  });
});
