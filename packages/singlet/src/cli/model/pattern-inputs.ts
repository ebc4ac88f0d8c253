import type { Model } from '@singlet/model';

/** What a pattern takes from its caller. */
export interface PatternInputs {
  /** A list of inputs: items to be written, or keys to be read. */
  readonly many: boolean;
  /** Names; undefined where the model does not say, and the pattern itself has to. */
  readonly known: ReadonlySet<string> | undefined;
  /** Those of them without which there is no key to ask for. */
  readonly needed: readonly string[];
  /** Whether an input may have a value, as far as its schema says. */
  readonly accepts: (name: string, value: unknown) => boolean;
}

type Need = Model['patterns'][string];
type Schema = Model['entities'][string]['attributes'][string];

/** The inputs of a pattern, told from its declaration. */
export function patternInputs(model: Model, pattern: string): PatternInputs {
  const need: Need = model.patterns[pattern] ?? {};
  const entities = entitiesOf(need).flatMap((name) => model.entities[name] ?? []);
  const schemaOf = (name: string): Schema | undefined => {
    const [attribute = name] = [need.aka?.[name] ?? name].flat();
    return need.takes?.[name] ?? entities.flatMap(({ attributes }) => attributes[attribute] ?? [])[0];
  };
  return {
    many: need.each === true || [need.creates, need.puts, need.deletes].some((target) => Array.isArray(target)),
    known: knownOf(need, entities),
    needed: need.transacts === undefined ? (need.by ?? []) : Object.keys(need.transacts),
    accepts: (name, value) => {
      if (name === need.range && typeof value === 'object') return true; // an interval
      const result = schemaOf(name)?.['~standard'].validate(value);
      return result === undefined || result instanceof Promise || result.issues === undefined;
    },
  };
}

function knownOf(need: Need, entities: readonly Model['entities'][string][]): ReadonlySet<string> | undefined {
  if (need.transacts !== undefined) return new Set(Object.keys(need.transacts));
  const whole = need.creates ?? need.puts ?? need.upserts;
  const locks = entities.flatMap(({ rules }) => rules.lock ?? []);
  return new Set<string>([
    ...(need.by ?? []),
    ...Object.keys(need.takes ?? {}),
    ...(need.range === undefined ? [] : [need.range]),
    ...(need.filters ?? []),
    ...(need.sets ?? []),
    ...(need.maySet ?? []),
    ...(whole === undefined ? [] : entities.flatMap(({ attributes }) => Object.keys(attributes))),
    ...(need.reads === undefined ? locks : []),
  ]);
}

function entitiesOf({ reads, creates, puts, upserts, updates, deletes, checks }: Need): string[] {
  const ofReads =
    typeof reads === 'object' && !Array.isArray(reads) ? Object.values(reads as object).flat() : [reads].flat();
  const names = [...ofReads, creates, puts, upserts, updates, deletes, checks].flat() as (string | undefined)[];
  return names.filter((name) => name !== undefined);
}
