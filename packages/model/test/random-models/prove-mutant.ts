import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { generateClient, toCloudFormation } from '../../src/bridges/index.ts';
import { check, patternPolicy, tenantPolicy } from '../../src/check/index.ts';
import { costOf, explainAll } from '../../src/cost/index.ts';
import { documentation } from '../../src/docs/index.ts';
import { type Model, ModelError, tableDefinitions } from '../../src/index.ts';
import { resolve } from '../../src/resolve/resolve.ts';
import { sampleItems } from '../../src/samples/index.ts';
import { snapshot } from '../../src/versions/index.ts';
import { modelOf } from './model-script.ts';
import type { Mutant } from './mutant.ts';
import { type Effort, proveScript, type ScriptVerdict } from './prove-script.ts';

/** The outcome of one mutant. */
export interface MutantVerdict extends Omit<ScriptVerdict, 'verdict'> {
  /** `thrown`: a tool threw something else than a `ModelError`. */
  readonly verdict: ScriptVerdict['verdict'] | 'thrown';
  /** Each with the tool that threw it. */
  readonly thrown: readonly string[];
}

/** What tools do with a model, whether `check` accepts it or not. */
const tools: Readonly<Record<string, (model: Model) => unknown>> = {
  check,
  explain: (model) => explainAll(model),
  cost: (model) => costOf(model),
  docs: (model) => documentation(model, 'markdown'),
  page: (model) => documentation(model, 'html'),
  tables: (model) => tableDefinitions(model),
  samples: (model) => [...sampleItems(resolve(model), { count: () => 2 })],
  snapshot,
  cloudformation: (model) => toCloudFormation(model),
  client: (model) => generateClient(model, { model: './random.model.ts', exported: 'random' }),
  policy: (model) => patternPolicy(model, Object.keys(model.patterns)),
  tenants: (model) => tenantPolicy(model, { tag: 'team' }),
};

/** Runs every tool on a mutant, and the patterns of one that `check` accepts against the oracle. */
export async function proveMutant({ script }: Mutant, client: DynamoDBClient, effort: Effort): Promise<MutantVerdict> {
  const model = modelOf(script);
  const thrown = Object.entries(tools).flatMap(([tool, run]) => {
    try {
      run(model);
      return [];
    } catch (error) {
      return error instanceof ModelError ? [] : [`${tool}: ${error instanceof Error ? error.stack : String(error)}`];
    }
  });
  if (thrown.length > 0) return { verdict: 'thrown', codes: [], thrown };
  try {
    return { ...(await proveScript(script, client, { writes: true, ...effort })), thrown };
  } catch (error) {
    return { verdict: 'thrown', codes: [], thrown: [`prove: ${error instanceof Error ? error.stack : String(error)}`] };
  }
}
