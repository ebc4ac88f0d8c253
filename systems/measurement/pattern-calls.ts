import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Model } from '@singlet/model';
import type { SeededRandom } from '../demo/seeded-random.ts';

/** A call that is ready to run, with its input drawn and its items in place. */
export type ReadyCall = () => Promise<unknown>;

/** Draws an input of an access pattern and creates the items that a call needs. Only the returned call is measured. */
export type PatternCall = () => ReadyCall | Promise<ReadyCall>;

/** One call for each access pattern, by id. A second way to request the same has a word after the id: `EC-03 strict`. */
export type PatternCalls = Readonly<Record<string, PatternCall>>;

export interface SampleOptions {
  readonly client: DynamoDBClient;
  /** Of the sample data, in the system's own measure. */
  readonly scale: number;
}

/** A system with sample data of any scale, and a call of each of its access patterns with an input from these data. */
export interface MeasuredSystem {
  readonly model: Model;
  /** Of the larger data set: for runs of minutes, and in full. The sample can also be made 25 times as small. */
  readonly scales: { readonly usual: number; readonly full: number };
  /** Creates the tables and fills them: the same data each time. */
  readonly load: (options: SampleOptions & { readonly onItems: (count: number) => void }) => Promise<void>;
  readonly open: (options: SampleOptions & { readonly random: SeededRandom }) => PatternCalls | Promise<PatternCalls>;
  /** Why some ids of the model have no call. */
  readonly unmeasured?: Readonly<Record<string, string>>;
}

/** The id in the name of a call. */
export function patternIdOf(callName: string): string {
  return callName.split(' ', 1)[0] ?? callName;
}

/** A call with an input that is drawn, or created in the database, beforehand. */
export function given<Input>(
  input: () => Input | Promise<Input>,
  act: (input: Input) => Promise<unknown>,
): PatternCall {
  return async () => {
    const drawn = await input();
    return () => act(drawn);
  };
}

/** A random one. @throws {RangeError} if there is none: the sample is too small for the call. */
export function anyOf<Value>(random: SeededRandom, values: readonly Value[]): Value {
  const index = random.integer(0, values.length - 1);
  if (index >= values.length || index < 0) throw new RangeError('There is nothing to draw from');
  // Below the length there is a value, even if it is undefined.
  return values[index] as Value;
}

/** Numbered names that nothing in the sample has. */
export function newNames(prefix: string): () => string {
  let made = 0;
  return () => `${prefix}${(made += 1)}`;
}
