import { type State, withoutItem } from './data.ts';
import type { Values } from './oracle/index.ts';
import type { ReadCall } from './read-call.ts';
import type { WrongRead } from './read-run.ts';

/** A call with a wrong answer, and the items that cause it. */
export interface ReadCase {
  readonly state: State;
  readonly call: ReadCall;
  readonly wrong: WrongRead;
}

/**
 * Reduces a wrong read as far as possible. Items are left out one after the other, then inputs, bounds and the limit, as long as the
 * answer stays wrong.
 *
 * @param run - answers a call over a state; undefined if the answer is correct.
 */
export async function smallestRead(
  found: ReadCase,
  run: (call: ReadCall, state: State) => Promise<WrongRead | undefined>,
): Promise<ReadCase> {
  let smallest = found;
  for (let shrunk = true; shrunk;) {
    shrunk = false;
    for (const candidate of candidates(smallest)) {
      const wrong = await run(candidate.call, candidate.state);
      // Another kind of fault would be another counterexample.
      if (wrong?.difference.kind !== smallest.wrong.difference.kind) continue;
      smallest = { ...candidate, wrong };
      shrunk = true;
      break;
    }
  }
  return smallest;
}

/** Everything that is one step smaller: halves first, if there are many items. */
function* candidates({ state, call }: ReadCase): Generator<Omit<ReadCase, 'wrong'>> {
  const count = [...state.values()].flat().length;
  if (count > 6)
    for (const half of [0, 1]) {
      let at = 0;
      yield { call, state: new Map([...state].map(([name, items]) => [name, items.filter(() => at++ % 2 === half)])) };
    }
  for (const [entity, items] of state)
    for (let at = 0; at < items.length; at += 1) yield { call, state: withoutItem(state, entity, at) };
  for (const smaller of smallerCalls(call, count)) yield { state, call: smaller };
}

/** Pages of one item need the fewest items to go wrong. If there are few pages, the pattern's own size is simpler. */
function* smallerCalls(call: ReadCall, items: number): Generator<ReadCall> {
  const { most, ...long } = call;
  if (most !== undefined) yield long;
  const { limit, ...unlimited } = call;
  if (items > 2 && limit !== 1) yield { ...call, limit: 1 };
  if (items <= 2 && limit !== undefined) yield unlimited;
  if (call.inputs.length > 1)
    for (let at = 0; at < call.inputs.length; at += 1)
      yield { ...call, inputs: call.inputs.filter((_, i) => i !== at) };
  for (const [at, input] of call.inputs.entries())
    for (const [name, value] of Object.entries(input)) {
      if (!isInterval(value)) continue;
      const replaced = (smaller: Values | undefined): ReadCall => ({
        ...call,
        inputs: call.inputs.map((each, i) => (i === at ? { ...each, [name]: smaller } : each)),
      });
      if (Object.keys(value).length > 1)
        for (const bound of Object.keys(value)) {
          const { [bound]: _, ...rest } = value;
          yield replaced(rest);
        }
    }
}

function isInterval(value: unknown): value is Values {
  if (typeof value !== 'object' || value === null) return false;
  const names = Object.keys(value);
  return names.length > 0 && names.every((name) => ['from', 'to', 'after', 'before', 'begins'].includes(name));
}
