import { describe, expect, test } from 'vitest';
import { mentionsSdk, sdkImportsIn } from './testing/boundary.ts';

describe('S-20: the AWS SDK stays inside the data module', () => {
  test.each(['session-store', 'e-commerce'])('%s', async (application) => {
    expect(await sdkImportsIn(new URL(`./${application}/`, import.meta.url))).toEqual({
      inside: ['data.ts', 'table.ts'],
      outside: [],
    });
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
