import type { ProveReport } from '@singlet/model/prove';
import { createDatabase } from '../../database/create-database.ts';
import { plainJson } from '../model/plain-json.ts';
import { UsageError } from '../usage-error.ts';
import type { AssistantModels } from './assistant-models.ts';
import type { Tool } from './tool.ts';

/** How many sets of items one call of `prove_model` tries. */
const proveRuns = { least: 1, most: 500, usual: 20 };
/** The size of one part of a model's documentation, which fits into an answer. */
export const docsPartCharacters = 40_000;

const modelArgument = { type: 'string', description: 'the name of the model; required if there are several' };

/** Tools that inspect models. The only tables they use are in their own temporary database. */
export function modelTools(models: AssistantModels): readonly Tool[] {
  return [listPatterns(models), checkModel(models), explainPattern(models), proveModel(models), modelDocs(models)];
}

function listPatterns(models: AssistantModels): Tool {
  return {
    name: 'list_patterns',
    description:
      'Lists the models, their entities and keys, and their access patterns: the inputs of each, whether it writes, and the operation that serves it. Call this first.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    isReadOnly: true,
    run: async () =>
      (await models.all()).map(({ described: { name, file, tables, entities, patterns, check } }) => ({
        name,
        file,
        tables,
        entities,
        patterns: patterns.map((pattern) => ({
          ...pattern,
          served: check.patterns.find((verdict) => verdict.pattern === pattern.name)?.served ?? null,
        })),
      })),
  };
}

function checkModel(models: AssistantModels): Tool {
  return {
    name: 'check_model',
    description:
      'Proves that each access pattern of a model is the bounded operation by key that it is declared to be. Returns a verdict on each pattern, and findings with their position in the file and a remedy. The file is read again when it has changed.',
    inputSchema: { type: 'object', properties: { model: modelArgument }, additionalProperties: false },
    isReadOnly: true,
    run: async (input) => {
      const { described } = await models.one(input.optionalText('model'));
      return { ...described.check, rules: described.rules };
    },
  };
}

function explainPattern(models: AssistantModels): Tool {
  return {
    name: 'explain_pattern',
    description:
      'Shows what an access pattern does and costs: operation, key ranges, filter, pages, read and write units, monthly cost. Without a name it shows all patterns. It sends no request.',
    inputSchema: {
      type: 'object',
      properties: { model: modelArgument, pattern: { type: 'string' } },
      additionalProperties: false,
    },
    isReadOnly: true,
    run: async (input) => {
      const { described } = await models.one(input.optionalText('model'));
      const pattern = input.optionalText('pattern');
      if (pattern === undefined) return described.explanations;
      const found = described.explanations.find((explanation) => explanation.pattern === pattern);
      return found ?? noSuchPattern(described, pattern);
    },
  };
}

function proveModel(models: AssistantModels): Tool {
  return {
    name: 'prove_model',
    description:
      'Searches for wrong answers: fills tables of a temporary database in memory with adversarial items, calls every pattern, and compares the answers with an oracle that does not use keys. Returns a verdict on each pattern, and the smallest counterexamples.',
    inputSchema: {
      type: 'object',
      properties: {
        model: modelArgument,
        runs: { type: 'integer', minimum: proveRuns.least, maximum: proveRuns.most, default: proveRuns.usual },
        seed: { type: 'integer', minimum: 0, default: 1 },
        writes: { type: 'boolean', default: false, description: 'sequences of writes, too' },
      },
      additionalProperties: false,
    },
    isReadOnly: true,
    run: async (input, signal) => {
      const { loaded } = await models.one(input.optionalText('model'));
      const [{ DynamoDBClient }, { prove }] = await Promise.all([
        import('@aws-sdk/client-dynamodb'),
        import('@singlet/model/prove'),
      ]);
      const runs = input.wholeNumber('runs', proveRuns);
      const seed = input.wholeNumber('seed', { least: 0, most: Number.MAX_SAFE_INTEGER, usual: 1 });
      const writes = input.flag('writes');
      const database = await createDatabase();
      const client = new DynamoDBClient(database.clientConfig());
      try {
        const report: ProveReport = await prove(loaded.model, { client, runs, seed, writes, signal });
        return plainJson(report);
      } finally {
        client.destroy();
        await database.close();
      }
    },
  };
}

function modelDocs(models: AssistantModels): Tool {
  return {
    name: 'model_docs',
    description: `The documentation of a model in Markdown: entity chart, access patterns, sample items of every index, capacity and cost. Returns at most ${docsPartCharacters} characters; "next" is the position of the rest.`,
    inputSchema: {
      type: 'object',
      properties: { model: modelArgument, from: { type: 'integer', minimum: 0, default: 0 } },
      additionalProperties: false,
    },
    isReadOnly: true,
    run: async (input) => {
      const { loaded } = await models.one(input.optionalText('model'));
      const { documentation } = await import('@singlet/model/docs');
      const text = documentation(loaded.model, 'markdown');
      const from = input.wholeNumber('from', { least: 0, most: Number.MAX_SAFE_INTEGER, usual: 0 });
      const end = from + docsPartCharacters;
      return { text: text.slice(from, end), next: end < text.length ? end : null };
    },
  };
}

function noSuchPattern(
  { name, patterns }: { readonly name: string; readonly patterns: readonly { readonly name: string }[] },
  pattern: string,
): never {
  throw new UsageError(`${name} has no pattern ${pattern}; it has ${patterns.map((each) => each.name).join(', ')}.`);
}
