import type { Awaitable } from '../../values/awaitable.ts';
import { DynamoError } from '../../values/service-error.ts';
import { createdTable } from './test-engine.ts';
import { type TestServices, testServices, type TestServicesOptions } from './test-services.ts';
import { index, keys, strings } from './table-requests.ts';

/** The refusal of an operation, as `ValidationException: text`; `done` if it succeeds. Other failures are rethrown. */
export async function refusal(operation: Promise<unknown> | (() => Awaitable<unknown>)): Promise<string> {
  try {
    await (typeof operation === 'function' ? operation() : operation);
  } catch (error) {
    if (error instanceof DynamoError) return `${error.name}: ${error.message}`;
    throw error;
  }
  return 'done';
}

/** The text of a ValidationException, with its name. */
export function validation(message: string): string {
  return `ValidationException: ${message}`;
}

/** The prefix of errors that are found in a request without reading the table. */
export const envelope = '1 validation error detected: ';

/** The prefix of most texts about values. */
export const invalidValue = 'One or more parameter values were invalid: ';

/** The prefix of texts about empty keys. */
export const emptyKey = 'One or more parameter values are not valid. ';

/**
 * Services with two tables: `plain`, with partition key `pk`; and `indexed`, with keys `pk` and `sk`, and indexes of
 * which three are keyed on `score`: `byScore` and `byScoreToo` global, `localScore` local. All keys are strings.
 */
export async function openTables(options: TestServicesOptions = {}): Promise<TestServices> {
  const services = testServices(options);
  await createdTable(services, { tableName: 'plain', keySchema: keys('pk'), attributeDefinitions: strings('pk') });
  await createdTable(services, {
    tableName: 'indexed',
    keySchema: keys('pk', 'sk'),
    attributeDefinitions: strings('pk', 'sk', 'score'),
    localSecondaryIndexes: [index('localScore', 'pk', 'score')],
    globalSecondaryIndexes: [
      index('byScoreToo', 'score'),
      { ...index('byScore', 'score', 'sk'), projection: { projectionType: 'KEYS_ONLY' } },
    ],
  });
  return services;
}
