import { type Draft, entitiesOf, formsOf, keyOfForms, type Loose } from '../script-draft.ts';
import { encoders } from './drawn-values.ts';
import {
  separatorIn,
  separatorOf,
  inIndexes,
  layoutOf,
  inTables,
  listOf,
  freeName,
  separatedBy,
  type Apply,
} from './places.ts';

export const ofTables: Readonly<Record<string, Apply>> = {
  'table: another separator': inTables((layout, random, { draft, table }) => {
    const [from, to] = [separatorIn(layout), random.pick(['#', '|', '~', '/', '-', '.', ':', '_', '!', ' '])];
    layout['separator'] = to;
    if (random.chance(0.75))
      for (const [entity, keys] of Object.entries(draft.keys))
        if (Object.keys(keys)[0] === table) {
          draft.keys[entity] = separatedBy(keys, from, to) as Loose;
          const { unique } = draft.storage[entity] ?? {};
          if (unique !== undefined)
            draft.storage[entity] = { ...draft.storage[entity], unique: separatedBy(unique, from, to) };
        }
    return true;
  }),
  'table: another type attribute': inTables((layout, random) => {
    layout['type'] = random.pick<unknown>([false, 'kind', 'Type', 'status', 'name']);
    return true;
  }),
  'table: a tenant': inTables((layout, random, { draft }) => {
    if (layout['tenant'] !== undefined && random.chance(0.5)) return delete layout['tenant'];
    layout['tenant'] = random.pick(Object.values(draft.entities).flatMap(({ attributes }) => Object.keys(attributes)));
    return true;
  }),
  'table: a stream': inTables((layout, random) => {
    layout['stream'] = random.pick(['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES']);
    return true;
  }),
  'table: a key of another type': inTables((layout, random) => {
    const key = [...(layout['key'] as string[])];
    const at = random.below(key.length);
    layout['key'] = key.with(at, `${(key[at] ?? '').split(':')[0]}${random.pick([':N', ':B', ''])}`);
    return true;
  }),
  'table: the key is of attributes': inTables((layout, random, { draft, table }) => {
    const [entity] = Object.entries(draft.keys).find(([, keys]) => Object.keys(keys)[0] === table) ?? [];
    const names = Object.keys(draft.entities[entity ?? '']?.attributes ?? {});
    if (entity === undefined || names.length === 0) return false;
    const key = [...(layout['key'] as string[])];
    const at = random.below(key.length);
    const name = random.pick(names);
    layout['key'] = key.with(at, name);
    const keys = draft.keys[entity] ?? {};
    keys[table] = keyOfForms(
      formsOf(keys[table]).map((form) => ({
        ...form,
        key: form.key.map((each, i) => (i === at ? `{${name}}` : each)),
      })),
    );
    return true;
  }),
  'table: an entity moves to a table of its own': (draft, random) => {
    const entity = random.pick(Object.keys(draft.keys));
    const [table = '', ...indexes] = Object.keys(draft.keys[entity] ?? {});
    const layout = draft.tables[table];
    if (layout === undefined) return false;
    const name = freeName(draft.tables, table);
    const renamed = new Map([[table, name], ...indexes.map((index): [string, string] => [index, `${index}Of${name}`])]);
    const own = (layout['indexes'] ?? {}) as Loose;
    draft.tables[name] = {
      ...layout,
      indexes: Object.fromEntries(
        indexes.filter((index) => index in own).map((index) => [renamed.get(index), own[index]]),
      ),
    };
    draft.keys[entity] = Object.fromEntries(
      Object.entries(draft.keys[entity] ?? {}).map(([place, key]) => [renamed.get(place), key]),
    );
    for (const [pattern, served] of Object.entries(draft.served)) {
      if (!entitiesOf(draft, pattern).every((each) => each === entity) || typeof served !== 'object' || served === null)
        continue;
      let text = JSON.stringify(served);
      for (const [from, to] of renamed) text = text.replaceAll(`"${from}"`, `"${to}"`);
      draft.served[pattern] = JSON.parse(text);
    }
    return true;
  },
  'index: another projection': inIndexes((layout, random, { draft }) => {
    const names = Object.values(draft.entities).flatMap(({ attributes }) => Object.keys(attributes));
    return { ...layout, project: random.pick<unknown>(['KEYS_ONLY', 'ALL', random.some(names, random.between(1, 4))]) };
  }),
  'index: local': inIndexes((layout, random) => {
    const { partition: _, sort, local, ...rest } = layout;
    const [name = 'LocalSK'] = (sort ?? []) as string[];
    return local === undefined ? { ...rest, local: random.chance(0.8) ? name : `${name.split(':')[0]}:N` } : undefined;
  }),
  'index: a local one becomes global': inIndexes(({ local, ...layout }, _, { draft, table }) => {
    const [partition] = listOf(draft.tables[table] ?? {}, 'key');
    return local === undefined ? undefined : { ...layout, partition: [partition], sort: [local] };
  }),
  'index: an attribute of several becomes two': inIndexes((layout, random, { draft, index }) => {
    const side = random.pick(['partition', 'sort']);
    const attributes = listOf(layout, side);
    if (attributes.length === 0 || attributes.length > 3) return undefined;
    const at = side === 'partition' ? attributes.length : listOf(layout, 'partition').length + attributes.length;
    for (const [entity, keys] of Object.entries(draft.keys)) {
      if (keys[index] === undefined) continue;
      const names = Object.keys(draft.entities[entity]?.attributes ?? {});
      keys[index] = keyOfForms(
        formsOf(keys[index]).map((form) => ({ ...form, key: form.key.toSpliced(at, 0, `{${random.pick(names)}}`) })),
      );
    }
    return { ...layout, [side]: [...attributes, `${index}${at + 1}x`] };
  }),
  'index: an attribute of the key is removed': inIndexes((layout, random, { draft, index }) => {
    const side = random.pick(['partition', 'sort']);
    const attributes = listOf(layout, side);
    if (attributes.length < (side === 'sort' ? 1 : 2)) return undefined;
    const at = (side === 'partition' ? 0 : listOf(layout, 'partition').length) + attributes.length - 1;
    for (const keys of Object.values(draft.keys))
      if (keys[index] !== undefined)
        keys[index] = keyOfForms(formsOf(keys[index]).map((form) => ({ ...form, key: form.key.toSpliced(at, 1) })));
    const { [side]: _, ...rest } = layout;
    return attributes.length === 1 ? rest : { ...layout, [side]: attributes.slice(0, -1) };
  }),
  'index: an attribute of the key is one of the items': inIndexes((layout, random, { draft, index }) => {
    const side = random.pick(['partition', 'sort']);
    const attributes = listOf(layout, side);
    const [entity] = Object.entries(draft.keys).find(([, keys]) => keys[index] !== undefined) ?? [];
    const schemasOfEntity = draft.entities[entity ?? '']?.attributes ?? {};
    const names = Object.keys(schemasOfEntity);
    if (attributes.length === 0 || names.length === 0 || entity === undefined) return undefined;
    const name = random.pick(names);
    const at = random.below(attributes.length);
    const isNumber = ['int', 'number', 'bigint'].includes(schemasOfEntity[name]?.type ?? '');
    const keys = draft.keys[entity] ?? {};
    const slot = (side === 'partition' ? 0 : listOf(layout, 'partition').length) + at;
    if (random.chance(0.8))
      keys[index] = keyOfForms(
        formsOf(keys[index]).map((form) => ({
          ...form,
          key: form.key.with(Math.min(slot, form.key.length - 1), `{${name}}`),
        })),
      );
    return { ...layout, [side]: attributes.with(at, isNumber ? `${name}:N` : name) };
  }),
  'index: an attribute of the key has another type': inIndexes((layout, random) => {
    const side = random.pick(['partition', 'sort']);
    const attributes = listOf(layout, side);
    if (attributes.length === 0) return undefined;
    const at = random.below(attributes.length);
    return {
      ...layout,
      [side]: attributes.with(at, `${(attributes[at] ?? '').split(':')[0]}${random.pick([':N', ':B', ''])}`),
    };
  }),
  'index: two are merged': (draft, random) => {
    const indexes = Object.entries(draft.tables).flatMap(([table, { indexes: all }]) =>
      Object.keys(all ?? {}).map((index) => ({ table, index })),
    );
    if (indexes.length < 2) return false;
    const [to, from] = random.some(indexes, 2);
    if (to === undefined || from === undefined || to.table !== from.table) return false;
    for (const keys of Object.values(draft.keys)) {
      if (keys[from.index] === undefined) continue;
      keys[to.index] ??= keys[from.index];
      delete keys[from.index];
    }
    delete (draft.tables[from.table] as { readonly indexes: Loose }).indexes[from.index];
    draft.served = JSON.parse(JSON.stringify(draft.served).replaceAll(`"${from.index}"`, `"${to.index}"`)) as Loose;
    return true;
  },
  'index: is doubled': (draft, random) => {
    const indexes = Object.entries(draft.tables).flatMap(([table, { indexes: all }]) =>
      Object.keys(all ?? {}).map((index) => ({ table, index })),
    );
    if (indexes.length === 0) return false;
    const { table, index } = random.pick(indexes);
    const all = draft.tables[table]?.['indexes'] as Loose;
    const name = freeName(all, index);
    const layout = layoutOf(all[index]);
    const renamed = (side: string): string[] =>
      listOf(layout, side).map((attribute) => attribute.replace(/^\w+/, (text) => `${text}Too`));
    all[name] =
      layout['local'] === undefined
        ? { ...layout, partition: renamed('partition'), ...(layout['sort'] !== undefined && { sort: renamed('sort') }) }
        : layout;
    for (const keys of Object.values(draft.keys))
      if (keys[index] !== undefined) keys[name] = structuredClone(keys[index]);
    for (const [pattern, served] of Object.entries(draft.served))
      if (random.chance(0.5))
        draft.served[pattern] = JSON.parse(
          JSON.stringify(served).replaceAll(
            `"${index}"`,
            random.chance(0.3) ? JSON.stringify([index, name]) : `"${name}"`,
          ),
        );
    return true;
  },
  'storage: another stored name': (draft, random) => {
    const entity = random.pick(Object.keys(draft.entities));
    const names = Object.keys(draft.entities[entity]?.attributes ?? {});
    const storage = (draft.storage[entity] ??= {});
    const stored = (storage['stored'] ?? {}) as Loose;
    const others = [...Object.values(stored).map(String), ...names, 'x', 'PK', 'Type', 'GSI1PK'];
    storage['stored'] = { ...stored, [random.pick(names)]: random.chance(0.5) ? 'x' : random.pick(others) };
    return true;
  },
  'storage: another type': (draft, random) => {
    const entity = random.pick(Object.keys(draft.entities));
    (draft.storage[entity] ??= {})['type'] = random.pick(['T', ...Object.keys(draft.entities)]);
    return true;
  },
  'storage: that items share keys is accepted': (draft) => {
    for (const entity of Object.keys(draft.entities)) acceptSharedKeys(draft, entity);
    return true;
  },
  'storage: another key of guards': (draft, random) => {
    const all = Object.entries(draft.entities).flatMap(([entity, { rules }]) =>
      listOf(rules, 'unique').map((name) => ({ entity, name })),
    );
    if (all.length === 0) return false;
    const { entity, name } = random.pick(all);
    const [table = ''] = Object.keys(draft.keys[entity] ?? {});
    const size = (draft.tables[table]?.['key'] as string[] | undefined)?.length ?? 2;
    const own = formsOf(Object.values(draft.keys[entity] ?? {})[0] ?? []).flatMap((form) => form.key ?? []);
    const separator = separatorOf(draft, entity);
    const template = random.pick([
      `G${separator}{${name}}`,
      `G${separator}{${name}:${random.pick(encoders)}}`,
      `{${name}}`,
      ...own,
    ]);
    const storage = (draft.storage[entity] ??= {});
    storage['unique'] = {
      ...(storage['unique'] as object | undefined),
      [name]: { key: Array.from({ length: size }, () => template) },
    };
    return true;
  },
};

/** Different items may have one key, and the model says so: the oracle is then told which ones these are. */
export function acceptSharedKeys(draft: Draft, entity: string): void {
  const storage = (draft.storage[entity] ??= {});
  storage['accepts'] = {
    ...(storage['accepts'] as object | undefined),
    'key-collision': 'to see what it gives',
    'key-not-exact': 'to see what it gives',
  };
}
