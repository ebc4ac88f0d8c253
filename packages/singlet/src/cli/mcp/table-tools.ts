import type { Model } from '@singlet/model';
import { type ConnectionFlags, modelProblem, withClient } from '../model/connection.ts';
import { patternFunction } from '../model/pattern-function.ts';
import { patternInputs } from '../model/pattern-inputs.ts';
import { plainJson } from '../model/plain-json.ts';
import { refuseUnproven } from '../model/refuse-unproven.ts';
import { UsageError } from '../usage-error.ts';
import type { AssistantModels } from './assistant-models.ts';
import type { Tool } from './tool.ts';

/** Where the tables are, and whether writes are allowed. */
export interface TableAccess extends ConnectionFlags {
  readonly allowWrites?: boolean;
}

/** Read-only requests. Any other is refused before it is sent, whatever pattern contains it. */
const readingCommands: ReadonlySet<string> = new Set([
  'GetItemCommand',
  'QueryCommand',
  'ScanCommand',
  'BatchGetItemCommand',
  'TransactGetItemsCommand',
  'DescribeTableCommand',
]);

/** Runs a declared pattern of a model that `check` accepts. A pattern that writes runs only if writes are allowed. */
export function runPattern(models: AssistantModels, access: TableAccess): Tool {
  const writes = access.allowWrites === true ? '' : ' Patterns that write are refused.';
  return {
    name: 'run_pattern',
    description: `Runs a declared access pattern against the endpoint of this server and returns its result: items, and a cursor if there are more. Only declared patterns can be run.${writes}`,
    inputSchema: {
      type: 'object',
      properties: {
        model: { type: 'string', description: 'the name of the model; required if there are several' },
        pattern: { type: 'string' },
        input: { description: 'inputs of the pattern by name, as listed by list_patterns' },
        cursor: { type: 'string', description: 'the cursor of the previous page' },
        dry_run: { type: 'boolean', default: false, description: 'answer with the request instead of sending it' },
      },
      required: ['pattern'],
      additionalProperties: false,
    },
    isReadOnly: access.allowWrites !== true,
    run: async (input) => {
      const { loaded, described } = await models.one(input.optionalText('model'));
      const { model } = loaded;
      const name = input.text('pattern');
      const cursor = input.optionalText('cursor');
      const isDryRun = input.flag('dry_run');
      const declared = described.patterns.find((pattern) => pattern.name === name);
      if (declared?.writes === true && access.allowWrites !== true && !isDryRun) throw readOnly(name);
      await refuseUnproven(loaded);
      return withClient(access, async (client) => {
        if (access.allowWrites !== true) {
          client.middlewareStack.add(
            (next, context) => (args) => {
              if (!readingCommands.has(context['commandName'] ?? '')) throw readOnly(name);
              return next(args);
            },
            { step: 'initialize', name: 'readOnly' },
          );
        }
        try {
          const run = await patternFunction(model, name, { client, tables: access.table });
          const asked = checkedInput(model, name, input.value('input') ?? {});
          return plainJson(isDryRun ? run.request(asked) : await run(asked, cursor === undefined ? {} : { cursor }));
        } catch (error) {
          throw modelProblem(error, model, access);
        }
      });
    },
  };
}

/**
 * Checks the inputs of a pattern at run time, which TypeScript callers get checked by their types.
 *
 * @throws {UsageError} for an input that the pattern does not have, that its schema does not accept, or that its key needs and lacks.
 */
function checkedInput(model: Model, pattern: string, input: unknown): unknown {
  const { many, known, needed, accepts } = patternInputs(model, pattern);
  if (many) return input; // processed item by item, each of which is checked then
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new UsageError(`The input of ${pattern} is an object with its inputs by name.`);
  for (const [name, value] of Object.entries(input)) {
    if (known?.has(name) === false)
      throw new UsageError(`${pattern} has no input ${name}; it has ${[...known].join(', ') || 'none'}.`);
    if (!accepts(name, value)) throw new UsageError(`${pattern} does not accept ${JSON.stringify(value)} as ${name}.`);
  }
  const missing = needed.filter((name) => !Object.hasOwn(input, name));
  if (missing.length > 0) throw new UsageError(`${pattern} needs the input ${missing.join(' and the input ')}.`);
  return input;
}

function readOnly(pattern: string): UsageError {
  return new UsageError(`${pattern} writes, and this server only reads: start singlet mcp with --allow-writes.`);
}
