import { type ModelScript, modelOf } from './model-script.ts';
import { refusals } from './prove-script.ts';
import { withServed } from './random-write-model.ts';

/** A model that reads, with patterns that write its items, as far as `check` accepts them: so schemas of every kind are also those of inputs. */
export function withWrites(script: ModelScript): ModelScript {
  let kept = script;
  for (const [name, need] of Object.entries(writesOf(script))) {
    const { served } = withServed({ ...script, patterns: { [name]: need }, takes: {}, procedures: {} });
    const more: ModelScript = {
      ...kept,
      patterns: { ...kept.patterns, [name]: need },
      served: { ...kept.served, ...served },
    };
    if (name in served && refusals(modelOf(more)).length === 0) kept = more;
  }
  return kept;
}

/** Patterns that write the items of each entity, by every verb. */
function writesOf(script: ModelScript): Record<string, object> {
  const patterns: Record<string, object> = {};
  for (const [entity, { attributes, rules = {} }] of Object.entries(script.entities)) {
    const { computed = {} } = rules as { readonly computed?: Readonly<Record<string, readonly string[]>> };
    const by = keyNames(script, entity);
    const fixed = new Set([...by, ...Object.keys(computed), ...Object.values(computed).flat()]);
    const free = Object.keys(attributes).filter((name) => !fixed.has(name));
    const [sets, maySet] = [free.slice(0, free.length / 2), free.slice(free.length / 2)];
    Object.assign(patterns, {
      [`create${entity}`]: { creates: entity },
      [`putAll${entity}`]: { puts: [entity] },
      [`upsert${entity}`]: { upserts: entity },
      [`set${entity}`]: { updates: entity, by, sets, maySet, returns: 'new' },
      [`change${entity}`]: { updates: entity, by, maySet: free, returns: 'old' },
      [`remove${entity}`]: { deletes: entity, by: [...by, ...free.slice(0, 1)], mustExist: true, returns: 'old' },
      [`both${entity}`]: { transacts: { one: { creates: entity }, two: { deletes: entity, by } } },
    });
  }
  return patterns;
}

/** The attributes of an entity's primary key. */
function keyNames({ keys, tables }: ModelScript, entity: string): string[] {
  const [, key] = Object.entries(keys[entity] ?? {}).find(([place]) => place in tables) ?? [];
  return [...new Set([...JSON.stringify(key ?? '').matchAll(/\{(\w+)/g)].map(([, name = '']) => name))];
}
