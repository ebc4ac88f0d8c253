import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { check } from '../../src/check/index.ts';
import type { Model } from '../../src/model.ts';
import { type Counterexample, prove, type WriteCounterexample } from '../../src/prove/index.ts';
import { resolve } from '../../src/resolve/resolve.ts';
import { type ModelScript, modelOf } from './model-script.ts';

/** The outcome of one random model. */
export interface ScriptVerdict {
  /** Refused by `check` and not run; or accepted, with all answers right or one wrong. */
  readonly verdict: 'refused' | 'right' | 'wrong';
  /** Codes of the faults or findings that caused the refusal. */
  readonly codes: readonly string[];
  readonly counterexample?: Counterexample;
  readonly wrongWrites?: WriteCounterexample;
}

/** Effort for one model. */
export interface Effort {
  readonly seed: number;
  readonly runs?: number;
  readonly calls?: number;
  readonly writes?: boolean;
}

/** Checks a model and, where it is accepted, runs its patterns against the oracle. */
export async function proveScript(
  script: ModelScript,
  client: DynamoDBClient,
  { seed, runs = 2, calls = 6, writes = false }: Effort,
): Promise<ScriptVerdict> {
  const model = modelOf(script);
  const codes = refusals(model);
  if (codes.length > 0) return { verdict: 'refused', codes };
  const report = await prove(model, { client, seed, runs, calls, writes, tablePrefix: nextTablePrefix() });
  const [counterexample] = report.counterexamples;
  const { wrongWrites } = report;
  if (wrongWrites !== undefined) return { verdict: 'wrong', codes, wrongWrites };
  return counterexample === undefined ? { verdict: 'right', codes } : { verdict: 'wrong', codes, counterexample };
}

/** Why a model is not run: faults, or findings that are errors. */
export function refusals(model: Model): string[] {
  const { problems } = resolve(model);
  if (problems.length > 0) return problems.map(({ code }) => code);
  const { findings } = check(model);
  return findings.filter(({ level }) => level === 'error').map(({ code }) => code);
}

let tables = 0;

/** Table names that no other model of this process uses. */
export function nextTablePrefix(): string {
  tables += 1;
  return `random-${tables}-`;
}
