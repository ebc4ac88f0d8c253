import type * as Sdk from '@aws-sdk/client-dynamodb';
import { Command, Option } from 'commander';
import { targetOf } from '../server/index.ts';
import { defaultEndpoint, endpointConfig, endpointProblem } from './endpoint-client.ts';
import { errorOutput } from './error-output.ts';
import { type ExplainStatementInput, type ExplainStatementOutput, printExplanation } from './explain-statement.ts';
import { UsageError } from './usage-error.ts';

interface ExplainFlags {
  readonly statement: string;
  readonly parameter: readonly Sdk.AttributeValue[];
  readonly consistent?: boolean;
  readonly endpoint: string;
  readonly region: string;
  readonly json?: boolean;
}

const examples = `
Examples:
  $ singlet explain --statement "SELECT * FROM Orders WHERE PK = 'c#1' AND begins_with(SK, 'o#')"
  $ singlet explain --statement "SELECT * FROM Orders WHERE PK = ?" --parameter '{"S":"c#1"}' --json

Nothing is run. A statement that names keys is an operation by key; any other is a scan, and it is said so.`;

export function explainCommand(): Command {
  return new Command('explain')
    .summary('tell what a PartiQL statement would do')
    .description('Tells what a PartiQL statement would do on a Singlet server: operations by key, or a scan.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet explain --help'))
    .addOption(new Option('--statement <text>', 'the statement').makeOptionMandatory())
    .addOption(
      new Option('--parameter <json>', 'what a ? stands for, such as {"S":"x"}; may be repeated, in their order')
        .default([], 'none')
        .argParser(collectParameter),
    )
    .addOption(new Option('--consistent', 'explain it as a strongly consistent read'))
    .addOption(new Option('--endpoint <url>', 'the server').default(defaultEndpoint))
    .addOption(new Option('--region <name>', 'region of the table').default('us-east-1'))
    .addOption(new Option('--json', 'print JSON'))
    .addHelpText('after', examples)
    .action(async (flags: ExplainFlags) => {
      process.stdout.write(await runExplain(flags));
    });
}

/**
 * Asks a server what a statement would do.
 *
 * @returns what to print.
 * @throws {UsageError} when the statement cannot be, or the endpoint cannot explain.
 */
export async function runExplain(flags: ExplainFlags): Promise<string> {
  const { statement, parameter, consistent, endpoint, region, json } = flags;
  const sdk = await import('@aws-sdk/client-dynamodb');
  const client = new sdk.DynamoDBClient(endpointConfig(endpoint, region));
  try {
    const explanation = await explain(sdk, client, {
      Statement: statement,
      ...(parameter.length > 0 && { Parameters: parameter as ExplainStatementInput['Parameters'] & object }),
      ...(consistent === true && { ConsistentRead: true }),
    });
    return json === true ? `${JSON.stringify(explanation, undefined, 2)}\n` : printExplanation(explanation);
  } catch (error) {
    if (error instanceof Error && error.name === 'UnknownOperationException') {
      throw new UsageError(`${endpoint} does not explain statements: only a Singlet server does.`, { cause: error });
    }
    throw endpointProblem(error, endpoint);
  } finally {
    client.destroy();
  }
}

/**
 * The SDK has no such command. One with the same request is sent under another name, so that the SDK signs it, tries it again
 * and reads errors; the answer is taken off before the SDK looks for what it does not hold.
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
    // Said below.
  }
  throw new UsageError(`--parameter takes a value such as {"S":"x"} or {"N":"1"}, not ${JSON.stringify(text)}.`);
}
