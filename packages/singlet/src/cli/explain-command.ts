import type * as Sdk from '@aws-sdk/client-dynamodb';
import { Command, Option } from 'commander';
import { targetOf } from '../server/index.ts';
import { endpointConfig, type EndpointFlags, endpointName, endpointProblem } from './endpoint-client.ts';
import { errorOutput } from './error-output.ts';
import type { ExplainStatementInput, ExplainStatementOutput } from '../database/explained-statement.ts';
import { printExplanation } from './explain-statement.ts';
import { withConnection } from './model/connection.ts';
import { explainModel, explainPattern, type ExplainPatternFlags } from './model/explain-pattern.ts';
import { UsageError } from './usage-error.ts';

interface ExplainFlags extends ExplainPatternFlags {
  readonly statement?: string;
  readonly parameter: readonly Sdk.AttributeValue[];
  readonly consistent?: boolean;
}

/** The flags for explaining a statement. */
export interface StatementFlags extends EndpointFlags {
  readonly statement: string;
  readonly parameter: readonly Sdk.AttributeValue[];
  readonly consistent?: boolean;
  readonly json?: boolean;
}

const examples = `
Examples:
  $ singlet explain shop.model.ts                           all patterns, in a table
  $ singlet explain shop.model.ts customerWithOrders
  $ singlet explain shop.model.ts customerWithOrders --customerId ada        with measurements
  $ singlet explain --statement "SELECT * FROM Orders WHERE PK = 'c#1' AND begins_with(SK, 'o#')"
  $ singlet explain --statement "SELECT * FROM Orders WHERE PK = ?" --parameter '{"S":"c#1"}' --json

For a pattern it shows the operation, and estimates of capacity and cost; with inputs it sends the requests and shows the
consumed capacity. A statement is not run: one that names keys is an operation by key, any other a scan.`;

export function explainCommand(): Command {
  const command = new Command('explain')
    .summary('show what a pattern or a PartiQL statement does and costs')
    .description('Shows the operations of a pattern or a PartiQL statement: by key, or a scan.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet explain --help'))
    .argument('[model]', 'a file that exports a model')
    .argument('[pattern]', 'the name of a pattern; without it, all are listed')
    .argument('[inputs...]', 'inputs of the pattern: --NAME VALUE')
    .allowUnknownOption()
    .option('--model <name>', 'name of the model, if the file exports several')
    .option('--input <json>', 'all inputs at once; - reads them from standard input')
    .addOption(new Option('--statement <text>', 'a PartiQL statement, instead of a model and a pattern'))
    .addOption(
      new Option('--parameter <json>', 'value of a ?, such as {"S":"x"}; repeat it for each, in order')
        .default([], 'none')
        .argParser(collectParameter),
    )
    .addOption(new Option('--consistent', 'explain the statement as a strongly consistent read'))
    .addOption(new Option('--json', 'print JSON'))
    .addHelpText('after', examples)
    .action(
      async (path: string | undefined, pattern: string | undefined, words: readonly string[], flags: ExplainFlags) => {
        if (flags.statement !== undefined) {
          process.stdout.write(await runExplain({ ...flags, statement: flags.statement }));
        } else if (path === undefined) {
          throw new UsageError('Name a model, and perhaps a pattern, or a --statement (see singlet explain --help).');
        } else if (pattern === undefined) {
          await explainModel(path, flags);
        } else {
          await explainPattern(path, pattern, words, flags);
        }
      },
    );
  return withConnection(command);
}

/**
 * Asks a server what a statement would do.
 *
 * @returns the text to print.
 * @throws {UsageError} if the statement is invalid, or the endpoint cannot explain.
 */
export async function runExplain(flags: StatementFlags): Promise<string> {
  const { statement, parameter, consistent, json } = flags;
  const sdk = await import('@aws-sdk/client-dynamodb');
  const client = new sdk.DynamoDBClient(endpointConfig(flags));
  try {
    const explanation = await explain(sdk, client, {
      Statement: statement,
      ...(parameter.length > 0 && { Parameters: parameter as ExplainStatementInput['Parameters'] & object }),
      ...(consistent === true && { ConsistentRead: true }),
    });
    return json === true ? `${JSON.stringify(explanation, undefined, 2)}\n` : printExplanation(explanation);
  } catch (error) {
    if (error instanceof Error && error.name === 'UnknownOperationException') {
      throw new UsageError(`${endpointName(flags)} does not explain statements: only a Singlet server does.`, {
        cause: error,
      });
    }
    throw endpointProblem(error, flags);
  } finally {
    client.destroy();
  }
}

/**
 * The SDK has no such command. A command with the same input is sent under another name, so that the SDK signs it, retries it and parses
 * errors. The answer is intercepted before the SDK looks for members that it does not contain.
 */
async function explain(
  sdk: typeof Sdk,
  client: Sdk.DynamoDBClient,
  input: ExplainStatementInput,
): Promise<ExplainStatementOutput> {
  let answer: unknown;
  client.middlewareStack.add(
    (next) => (args) => {
      const request = args.request as { readonly headers: Record<string, string> };
      request.headers['x-amz-target'] = targetOf('ExplainStatement');
      return next(args);
    },
    { step: 'build', priority: 'low' },
  );
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const response = result.response as { statusCode: number; body: AsyncIterable<Uint8Array> | Uint8Array };
      const chunks: Uint8Array[] = [];
      if (response.body instanceof Uint8Array) chunks.push(response.body);
      else for await (const chunk of response.body) chunks.push(chunk);
      const body = Buffer.concat(chunks);
      if (response.statusCode === 200) answer = JSON.parse(body.toString('utf8'));
      response.body = body;
      return result;
    },
    { step: 'deserialize', priority: 'low' },
  );
  await client.send(new sdk.ExecuteStatementCommand(input as Sdk.ExecuteStatementCommandInput));
  return answer as ExplainStatementOutput;
}

function collectParameter(text: string, collected: readonly Sdk.AttributeValue[]): readonly Sdk.AttributeValue[] {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return [...collected, value as Sdk.AttributeValue];
    }
  } catch {
    // Reported below.
  }
  throw new UsageError(`--parameter takes a value such as {"S":"x"} or {"N":"1"}, not ${JSON.stringify(text)}.`);
}
