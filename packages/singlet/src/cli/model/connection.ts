import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Command, Option } from 'commander';
import { defaultEndpoint, endpointConfig } from '../endpoint-client.ts';
import { UsageError } from '../usage-error.ts';

/** Where the tables of a model are. */
export interface ConnectionFlags {
  readonly endpoint: string;
  readonly region: string;
  readonly table: Readonly<Record<string, string>>;
}

/** Adds the options that say where the tables are. */
export function withConnection(command: Command): Command {
  return command
    .addOption(new Option('-e, --endpoint <url>', 'where the tables are').default(defaultEndpoint))
    .addOption(new Option('--region <name>', 'their region').default(process.env['AWS_REGION'] ?? 'us-east-1'))
    .addOption(
      new Option('--table <model=name>', 'a table that is called otherwise than in the model; may be repeated')
        .default({}, 'none')
        .argParser((text: string, before: Readonly<Record<string, string>>) => ({
          ...before,
          ...renamedTable('--table', text),
        })),
    );
}

/** Reads `MODEL=NAME`. */
export function renamedTable(flag: string, text: string): Readonly<Record<string, string>> {
  const [name = '', ...rest] = text.split('=');
  if (name === '' || rest.join('=') === '')
    throw new UsageError(`${flag} takes MODEL=NAME, such as Shop=shop-production, not ${JSON.stringify(text)}.`);
  return { [name]: rest.join('=') };
}

/** Runs with a client of the endpoint, and closes it. */
export async function withClient<T>(flags: ConnectionFlags, run: (client: DynamoDBClient) => Promise<T>): Promise<T> {
  const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
  const client = new DynamoDBClient(endpointConfig(flags.endpoint, flags.region));
  try {
    return await run(client);
  } finally {
    client.destroy();
  }
}
