import type { JsonObject } from '../row.ts';
import { type Call, call } from '../steps.ts';
import type { WireItem, WireValue } from '../values.ts';

/** How rows about PartiQL write requests. `$T` represents the table in statements too. */

export const PARTIQL_2026 =
  'recorded: paritysuite/dynamodb-conformance, PartiQL captured from the service in four regions, October 2026';
export const PARTIQL_FLOCI_2026 =
  'recorded: floci test suite, PartiQL captured from the service in eu-west-2, September 2026';

/** A statement with a consistent read, so that it may follow a write. */
export const execute = (statement: string, ...parameters: readonly WireValue[]): Call =>
  call('ExecuteStatement', {
    Statement: statement,
    ...(parameters.length > 0 && { Parameters: parameters }),
    ...(/^select/i.test(statement) && !statement.includes('gsi') && { ConsistentRead: true }),
  });

export const executeWith = (statement: string, more: JsonObject): Call =>
  call('ExecuteStatement', { Statement: statement, ...more });

/** A SELECT through a global index, which is updated a moment after its table. */
export const executeOnIndex = (statement: string): Call =>
  call('ExecuteStatement', { Statement: statement }, { eventually: true });

type Member = string | JsonObject;
const member = (statement: Member): JsonObject =>
  typeof statement === 'string' ? { Statement: statement } : statement;

export const executeBatch = (statements: readonly Member[], more: JsonObject = {}): Call =>
  call('BatchExecuteStatement', { Statements: statements.map(member), ...more });

export const executeTransaction = (statements: readonly Member[], more: JsonObject = {}): Call =>
  call('ExecuteTransaction', { TransactStatements: statements.map(member), ...more });

export const found = (...items: readonly WireItem[]): JsonObject => ({ Items: items });

export const notWellFormed = (detail = ''): string => `Statement wasn't well formed, can't be processed: ${detail}`;
export const noKey = 'Where clause does not contain a mandatory equality on all key attributes';
