import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { RandomSource } from '../../src/prove/random-source.ts';
import { type ModelScript, modelOf } from './model-script.ts';
import { refusals } from './prove-script.ts';
import { randomModel } from './random-model.ts';
import { randomWriteModel } from './random-write-model.ts';
import { rareModel } from './rare-model.ts';
import { callsOf, type PatternCalls } from './typed-calls.ts';
import { type TypedFile, typedFile } from './typed-source.ts';
import { withWrites } from './with-writes.ts';

/** A generator of models. Those that read also get patterns that write. */
export type DrawnKind = 'reads' | 'writes' | 'rare';

/** A random model whose patterns were called. */
export interface TypedModel {
  readonly script: ModelScript;
  readonly calls: readonly PatternCalls[];
  readonly file: TypedFile;
  /** Calls that ended in an error that is neither of the input nor of a rule. */
  readonly failures: readonly string[];
}

/** Draws a model and calls its patterns; undefined if `check` refuses the model. */
export async function typedModel(
  kind: DrawnKind,
  seed: number,
  client: DynamoDBClient,
  toolkit: string,
): Promise<TypedModel | undefined> {
  const random = new RandomSource(seed);
  const drawn =
    kind === 'writes' ? randomWriteModel(random) : kind === 'reads' ? randomModel(random) : rareModel(random);
  if (refusals(modelOf(drawn)).length > 0) return undefined;
  const script = kind === 'writes' ? drawn : withWrites(drawn);
  const model = modelOf(script);
  const calls = await callsOf(model, client, seed);
  const failures = calls.flatMap((each) => each.failures.map((failure) => `${each.pattern} fails: ${failure}`));
  return { script, calls, file: typedFile(script, calls, toolkit), failures };
}
