import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Model } from '@singlet/model';
import { type Command, Option } from 'commander';
import { endpointConfig, type EndpointFlags, endpointName, endpointProblem, withEndpoint } from '../endpoint-client.ts';
import { UsageError } from '../usage-error.ts';

/** Where the tables of a model are. */
export interface ConnectionFlags extends EndpointFlags {
  readonly table: Readonly<Record<string, string>>;
}

/** Adds the options that specify where the tables are. */
export function withConnection(command: Command): Command {
  return withEndpoint(command).addOption(
    renamedTables('maps a table of the model to a table with another name; may be repeated'),
  );
}

/** The option `--table MODEL=NAME`, as a record. */
export function renamedTables(description: string): Option {
  return new Option('--table <model=name>', description)
    .default({}, 'none')
    .argParser((text: string, before: Readonly<Record<string, string>>) => ({
      ...before,
      ...renamedTable('--table', text),
    }));
}

/** Parses `MODEL=NAME`. */
export function renamedTable(flag: string, text: string): Readonly<Record<string, string>> {
  const [name = '', ...rest] = text.split('=');
  if (name === '' || rest.join('=') === '')
    throw new UsageError(`${flag} takes MODEL=NAME, such as Shop=shop-production, not ${JSON.stringify(text)}.`);
  return { [name]: rest.join('=') };
}

/**
 * Converts errors of running a pattern or filling tables to clear messages: refused input, a rule of the model, a missing table, an endpoint
 * that does not answer. Other errors are returned unchanged.
 */
export function modelProblem(error: unknown, { tables }: Pick<Model, 'tables'>, flags: ConnectionFlags): unknown {
  if (!(error instanceof Error)) return error;
  if (['InputError', 'ModelError', 'RuleError', 'UnexpectedItemError'].includes(error.name))
    return new UsageError(error.message, { cause: error });
  if (error.name === 'ResourceNotFoundException') {
    const names = Object.keys(tables).map((table) => flags.table[table] ?? table);
    const [first = ''] = Object.keys(tables);
    return new UsageError(
      `${endpointName(flags)} lacks ${names.join(' or ')}, or an index of it: create the tables with singlet seed --create, or name them with --table ${first}=NAME.`,
      { cause: error },
    );
  }
  return endpointProblem(error, flags);
}

/** Calls a function with a client of the endpoint, and then closes the client. */
export async function withClient<T>(flags: EndpointFlags, run: (client: DynamoDBClient) => Promise<T>): Promise<T> {
  const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
  const client = new DynamoDBClient(endpointConfig(flags));
  try {
    return await run(client);
  } finally {
    client.destroy();
  }
}
