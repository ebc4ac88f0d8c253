import { type State, withoutItem } from './data.ts';
import type { Values } from './oracle/index.ts';
import type { ReadCall } from './read-call.ts';
import type { WrongRead } from './read-run.ts';

/** A call that is answered wrongly, and the items that make it so. */
export interface ReadCase {
  readonly state: State;
  readonly call: ReadCall;
  readonly wrong: WrongRead;
}

/**
 * Makes a wrong read as small as it can be: items are left out one after the other, then inputs, bounds and the limit, as long as the
 * answer is wrong.
 *
 * @param run - answers a call over a state; undefined where the answer is right.
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

/** Everything that is one step smaller: halves first, where there is much. */
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

/** Pages of one item need the fewest items to go wrong; where there are few of them, the pattern's own pages are plainer. */
function* smallerCalls(call: ReadCall, items: number): Generator<ReadCall> {
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
