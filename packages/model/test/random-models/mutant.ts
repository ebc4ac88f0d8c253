import { check } from '../../src/check/index.ts';
import type { RandomSource } from '../../src/prove/random-source.ts';
import { resolve } from '../../src/resolve/resolve.ts';
import { modelOf, type ModelScript } from './model-script.ts';
import { mutations } from './mutations/index.ts';
import { acceptSharedKeys } from './mutations/of-tables.ts';
import { refusals } from './prove-script.ts';
import { type Draft, draftOf, keepPatterns, sliceOf, writesOf } from './script-draft.ts';

/** A model that was changed at random. */
export interface Mutant {
  readonly script: ModelScript;
  /** The names of the changes. */
  readonly changes: readonly string[];
}

/** How a model is mutated. */
interface MutantOptions {
  /** Whether one pattern that `check` refuses stays: a prover with a fault may accept it. */
  readonly refused?: boolean;
}

/**
 * A few patterns of a model, with mutations of what it declares: one to four, which `check` may refuse, or up to eight, each of which it
 * accepts after those before it.
 */
export function mutantOf(base: ModelScript, random: RandomSource, { refused = false }: MutantOptions = {}): Mutant {
  const draft = draftOf(base);
  sliceOf(draft, random);
  addCreates(draft, random);
  return !refused && random.chance(0.5) ? farMutant(repaired(draft), random) : nearMutant(draft, random, refused);
}

function nearMutant(draft: Draft, random: RandomSource, keepsRefused: boolean): Mutant {
  const changes: string[] = [];
  const wanted = random.pick([1, 1, 2, 2, 3, 4]);
  for (let tries = 0; tries < 40 && changes.length < wanted; tries += 1) {
    const change = mutated(draft, random);
    if (change !== undefined) changes.push(change);
  }
  return { script: repaired(draft, keepsRefused ? random : undefined), changes };
}

function farMutant(slice: ModelScript, random: RandomSource): Mutant {
  let script = slice;
  const changes: string[] = [];
  for (let tries = 0; tries < 24 && changes.length < 8; tries += 1) {
    const draft = draftOf(script);
    const change = mutated(draft, random);
    if (change === undefined) continue;
    const next = repaired(draft);
    const isWhole = Object.keys(next.patterns).length >= Object.keys(script.patterns).length;
    if (!isWhole || refusals(modelOf(next)).length > 0) continue;
    script = next;
    changes.push(change);
  }
  return { script, changes };
}

/** Changes a draft at random. @returns the name of the mutation; undefined if it had nothing to change. */
function mutated(draft: Draft, random: RandomSource): string | undefined {
  const { name, apply } = random.pick(random.pick(mutations));
  return Object.keys(draft.entities).length > 0 && apply(draft, random) ? name : undefined;
}

/** What is only updated in a few patterns of a model is created by a pattern of its own, or no write would find an item. */
function addCreates(draft: Draft, random: RandomSource): void {
  const writes = writesOf(draft);
  const created = new Set(
    writes.filter(({ verb }) => ['creates', 'puts', 'upserts'].includes(verb)).map(({ entity }) => entity),
  );
  const parents = draft.relationships
    .filter(([, , child]) => created.has(String(child)))
    .map(([parent]) => String(parent));
  for (const entity of new Set([...writes.map((write) => write.entity), ...parents])) {
    if (created.has(entity) || !(entity in draft.entities) || random.chance(0.1)) continue;
    draft.patterns[`create${entity}`] = { creates: entity };
    draft.served[`create${entity}`] = 'PutItem';
  }
}

const roundsMost = 3;

/**
 * The operations that the changed patterns take, and without the patterns that `resolve` or `check` refuses: the others would not be run
 * because of them.
 */
function repaired(draft: Draft, keepsOne?: RandomSource): ModelScript {
  for (let round = 0; round < roundsMost; round += 1) {
    const { problems } = resolve(modelOf(draft));
    const faulty = new Set<string>();
    for (const { path, message } of problems) {
      const [section, name = ''] = path.split('.');
      if (section !== 'served' && section !== 'patterns') continue;
      const [, operations] = /takes ([A-Za-z, ]+?); declared/.exec(message) ?? [];
      const [, queries] = /takes (\d+) queries/.exec(message) ?? [];
      if (queries !== undefined && Number(queries) < 20)
        draft.served[name] = { ...(draft.served[name] as object), fanOut: Number(queries) };
      else if (operations === undefined) faulty.add(name);
      else {
        const list = operations.split(', then ');
        draft.served[name] = list.length === 1 ? list[0] : list;
      }
    }
    if (problems.length === 0) break;
    keepPatterns(draft, (name) => !faulty.has(name));
  }
  if (resolve(modelOf(draft)).problems.length > 0) return draft;
  // Most mutations of a key make it that of other items as well, which a model may accept.
  const { findings } = check(modelOf(draft));
  const shared = findings.filter(({ code }) => code === 'key-collision' || code === 'key-not-exact');
  for (const { path } of keepsOne === undefined ? shared : []) {
    const [, entity = ''] = path.split('.');
    if (entity in draft.entities) acceptSharedKeys(draft, entity);
  }
  const refused = check(modelOf(draft)).patterns.filter(({ verdict }) => verdict === 'refused');
  const names = new Set(refused.map(({ pattern }) => pattern));
  if (names.size > 0) names.delete(keepsOne?.pick([...names]) ?? '');
  keepPatterns(draft, (name) => !names.has(name));
  return draft;
}
