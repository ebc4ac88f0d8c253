import { fileURLToPath } from 'node:url';
import { createDatabase } from 'singlet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCorpus, type StepsCase } from './corpus.ts';
import { fastClient } from './fast-client.ts';
import { type Prover, proverWith, removeProvers } from './faulty-prover.ts';
import type { ProverFault } from './prover-faults.ts';
import { nextTablePrefix } from './prove-script.ts';

/*
 * Faults are put into the code that writes, one at a time. A sequence of writes from the corpus that is right without the fault must
 * have a wrong result with it.
 */
const faults: readonly ProverFault[] = [
  {
    what: 'an item that was not there is not there when it is changed',
    file: 'run/write-actions.ts',
    code: 'ruleOf(plan, codec, input, old !== undefined), creates, missing: isMissing,',
    becomes: 'ruleOf(plan, codec, input, old !== undefined), creates,',
  },
  {
    what: 'a part that can be left out is left out with all others of its item',
    file: 'run/action-list.ts',
    code: '!isDroppable(each) || meets(item, asksOf(each))',
    becomes: '!isDroppable(each)',
  },
  {
    what: 'a part that can be left out is needed if another part of its item is',
    file: 'run/write.ts',
    code: 'const drop = failed.filter(({ part }) => part.rule.droppable === true);',
    becomes: 'const drop = failed.filter(({ action }) => action.parts.every(({ rule }) => rule.droppable === true));',
  },
  {
    what: 'a new item has no guards',
    file: 'run/relations.ts',
    code: 'for (const unique of relations.entity.unique) claim(relations, unique, values);',
    becomes: '',
  },
  {
    what: 'each part of a transaction moves an item by itself',
    file: 'run/action-list.ts',
    code: 'this.#moves.set(id, { ...(known ?? next), effects });',
    becomes: 'this.#moves.set(`${id} ${this.#moves.size}`, next);',
  },
  {
    what: 'an item that has expired when it is written is there to be upserted',
    file: 'run/action-list.ts',
    code: 'if (rule.creates === true && isExpired(made, expiresAttribute(put.entity), this.#context.now()))',
    becomes: 'if (item === undefined)',
  },
  {
    what: 'what an update may create meets the conditions of the other parts',
    file: 'run/action-list.ts',
    code: 'if (!meets(created, part.asks)) return part;',
    becomes: '',
  },
  {
    what: 'a lost race explains itself alone',
    file: 'run/write.ts',
    code: 'const again = lost.length > 0 || unmet.length === 0;',
    becomes: 'const again = unmet.every((each) => lost.includes(each));',
  },
];

const corpus = readCorpus(fileURLToPath(new URL('corpus', import.meta.url)));
let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => {
  removeProvers();
  await database.close();
});

async function endsWrongly(prover: Prover, { script, steps }: StepsCase): Promise<boolean> {
  const model = prover.modelOf(script);
  if (prover.refusals(model).length > 0) return false;
  const client = fastClient(database);
  return (await prover.proveSteps(model, { client, steps, tablePrefix: nextTablePrefix() })) !== undefined;
}

/** The cases whose result is wrong with a prover. */
async function wrongOf(prover: Prover): Promise<string[]> {
  const wrong: string[] = [];
  for (const [name, found] of corpus.writes) if (await endsWrongly(prover, found)) wrong.push(name);
  return wrong;
}

describe('a sequence of writes ends wrongly where it is taken that', () => {
  test('nothing is wrong: none does', async () => {
    expect(await wrongOf(await proverWith(undefined, 'sound-writes'))).toEqual([]);
  });

  test.each(faults.map((fault, at) => ({ ...fault, at })))('$what', async (fault) => {
    expect(await wrongOf(await proverWith(fault, `write-fault-${fault.at}`))).not.toEqual([]);
  });
});
