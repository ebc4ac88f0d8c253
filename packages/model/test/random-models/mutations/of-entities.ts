import { formsOf, keyNames, keyOfForms, type Loose } from '../script-draft.ts';
import { schemas, valueOf } from './drawn-values.ts';
import { separatorOf, inSchemas, inRules, changeList, type Apply } from './places.ts';
import type { AttributeScript } from '../model-script.ts';

export const ofEntities: Readonly<Record<string, Apply>> = {
  'schema: optional or not': inSchemas(({ optional, ...schema }) =>
    optional === true ? schema : { ...schema, optional: true },
  ),
  'schema: nullable or not': inSchemas(({ nullable, ...schema }) =>
    nullable === true ? schema : { ...schema, nullable: true },
  ),
  'schema: a default or none': inSchemas(({ default: known, ...schema }, random) =>
    known === undefined &&
    !['set', 'map', 'list', 'record', 'object', 'bytes', 'union', 'unknown', 'bigint'].includes(schema.type)
      ? { ...schema, default: valueOf(schema, random) }
      : schema,
  ),
  'schema: another kind': inSchemas((_, random) => random.pick(schemas)),
  'schema: that of another attribute': inSchemas((_, random, draft) =>
    random.pick(Object.values(draft.entities).flatMap(({ attributes }) => Object.values(attributes))),
  ),
  'schema: a bound is dropped': inSchemas((schema, random) => {
    const bounds = (
      ['min', 'max', 'pattern', 'multipleOf', 'format', 'precision', 'offset', 'local', 'lower', 'codec'] as const
    ).filter((name) => schema[name] !== undefined);
    if (bounds.length === 0) return undefined;
    const { [random.pick(bounds)]: _, ...rest } = schema;
    return rest;
  }),
  'schema: a bound is put': inSchemas((schema, random) => {
    if (schema.type === 'text' || schema.type === 'pattern')
      return random.pick<AttributeScript>([
        { ...schema, min: random.below(3) },
        { ...schema, max: random.between(1, 4) },
        { ...schema, min: 2, max: 2 },
        { ...schema, lower: true },
        { ...schema, after: random.pick(['upper', 'trim']) },
        {
          type: 'pattern',
          pattern: random.pick(['^[a-z]+$', '^[a-z0-9]{4}$', '^[^#]+$', '^[A-Z#]{2,3}$', String.raw`^\w+$`]),
        },
      ]);
    if (schema.type === 'int' || schema.type === 'number')
      return random.pick<AttributeScript>([
        { ...schema, min: random.pick([0, 1, -1, 5]) },
        { ...schema, max: random.pick([9, 99, 100, 9999]) },
        { ...schema, min: 0, max: random.pick([9, 10, 99, 999]) },
        { ...schema, multipleOf: random.pick([2, 5, 0.5]) },
        { ...schema, coerce: true },
      ]);
    if (schema.type === 'datetime')
      return random.pick<AttributeScript>([
        { ...schema, precision: random.pick([0, 3, 6]) },
        { ...schema, offset: true },
        { ...schema, local: true },
        { ...schema, codec: 'date' },
      ]);
    return { ...schema, max: random.between(1, 3) };
  }),
  'schema: another set of values': inSchemas((schema, random) => {
    const { values = [] } = schema;
    if (schema.type !== 'enum' || values.length === 0) return undefined;
    const other = random.pick([
      `${random.pick(values)}~`,
      String(random.pick(values)).slice(0, 1),
      'a',
      `${random.pick(values)}#`,
      String(random.pick(values)).toLowerCase(),
    ]);
    return {
      ...schema,
      values:
        values.length > 1 && random.chance(0.4)
          ? values.toSpliced(random.below(values.length), 1)
          : [...new Set([...values, other])],
    };
  }),
  'schema: a value in place of refused ones': inSchemas((schema, random) => {
    const value = valueOf(schema, random);
    const isPlain = ['text', 'pattern', 'int', 'number', 'enum', 'date', 'datetime'].includes(schema.type);
    return isPlain && typeof value !== 'boolean' && schema.catch === undefined
      ? { ...schema, catch: value }
      : undefined;
  }),
  'attribute: is added': (draft, random) => {
    const { attributes = {} } = draft.entities[random.pick(Object.keys(draft.entities))] ?? {};
    attributes[random.pick(['extra', 'more', 'note', 'status', 'x'])] = random.chance(0.5)
      ? { ...random.pick(schemas), optional: true }
      : random.pick(schemas);
    return true;
  },
  'attribute: that of another entity is added': (draft, random) => {
    const [to = '', from = ''] = random.some(Object.keys(draft.entities), 2);
    const known = Object.entries(draft.entities[from]?.attributes ?? {});
    if (known.length === 0) return false;
    const [name, schema] = random.pick(known);
    (draft.entities[to]?.attributes ?? {})[name] = structuredClone(schema);
    return true;
  },
  'attribute: is dropped': (draft, random) => {
    const { attributes = {} } = draft.entities[random.pick(Object.keys(draft.entities))] ?? {};
    return delete attributes[random.pick(Object.keys(attributes).concat('none'))];
  },
  'rules: unique': inRules((rules, names, random) => changeList(rules, 'unique', names, random)),
  'rules: generated': inRules((rules, names, random) => changeList(rules, 'generated', names, random)),
  'rules: same': inRules((rules, names, random) => {
    const known = (rules['same'] ?? {}) as Loose;
    const [first] = Object.keys(known);
    if (first !== undefined && random.chance(0.4)) delete rules['same'];
    else
      rules['same'] = {
        ...known,
        [random.pick(names)]: random.pick<unknown>(['lower', 'upper', 'trim', 'slug', ['trim', 'lower']]),
      };
    return true;
  }),
  'rules: lock': inRules((rules, _, random, { draft, entity }) => {
    if (rules['lock'] !== undefined) return delete rules['lock'];
    const { attributes = {} } = draft.entities[entity] ?? {};
    attributes['version'] ??= { type: 'int' };
    rules['lock'] = 'version';
    void random;
    return true;
  }),
  'rules: expires': inRules((rules, _, random, { draft, entity }) => {
    if (rules['expires'] !== undefined) return delete rules['expires'];
    const { attributes = {} } = draft.entities[entity] ?? {};
    attributes['until'] ??= { type: 'int', ...(random.chance(0.5) && { optional: true }) };
    rules['expires'] = 'until';
    return true;
  }),
  'rules: sequence': inRules((rules, names, random, { draft, entity }) => {
    if (rules['sequence'] !== undefined) return delete rules['sequence'];
    const parents = draft.relationships.filter(([, , child]) => child === entity).map(([parent]) => String(parent));
    if (parents.length === 0) return false;
    const parent = random.pick(parents);
    const { attributes = {} } = draft.entities[parent] ?? {};
    attributes['counter'] ??= { type: 'int', default: 0 };
    const numbers = names.filter((name) => draft.entities[entity]?.attributes[name]?.type === 'int');
    rules['sequence'] = { [random.pick(numbers.length === 0 ? names : numbers)]: `${parent}.counter` };
    return true;
  }),
  'rules: computed': inRules((rules, names, random, { draft, entity }) => {
    if (rules['computed'] !== undefined) return delete rules['computed'];
    const { attributes = {} } = draft.entities[entity] ?? {};
    const name = random.chance(0.3) ? random.pick(names) : 'initial';
    const from = random.some(
      names.filter((each) => each !== name),
      random.between(1, 2),
    );
    if (from.length === 0) return false;
    attributes[name] = { type: 'text', ...(random.chance(0.8) && { optional: true }) };
    rules['computed'] = { [name]: from };
    return true;
  }),
  'rules: copies': inRules((rules, _, random, { draft, entity }) => {
    if (rules['copies'] !== undefined) return delete rules['copies'];
    rules['copies'] = random.between(2, 3);
    const keys = draft.keys[entity] ?? {};
    const separator = separatorOf(draft, entity);
    for (const [place, key] of Object.entries(keys))
      keys[place] = keyOfForms(
        formsOf(key).map((form) => ({ ...form, key: form.key.with(0, `${form.key[0]}${separator}{copy}`) })),
      );
    return true;
  }),
  'rules: duplicates': inRules((rules, names, random, { draft, entity }) => {
    if (rules['duplicates'] !== undefined) return delete rules['duplicates'];
    const other = random.pick(Object.keys(draft.entities));
    if (other === entity) return false;
    const name = random.pick(names);
    rules['duplicates'] = {
      [name]: {
        from: `${other}.${random.pick(Object.keys(draft.entities[other]?.attributes ?? { a: 0 }))}`,
        rule: 'immutable',
      },
    };
    return true;
  }),
  'relationship: is added': (draft, random) => {
    const parent = random.pick(Object.keys(draft.entities));
    const child = random.pick(Object.keys(draft.entities));
    draft.relationships.push([
      parent,
      random.pick(['1:1', '1:N', '1:N', 'N:M']),
      child,
      random.chance(0.7) ? { required: true } : {},
    ]);
    return true;
  },
  'relationship: is dropped': (draft, random) => {
    if (draft.relationships.length === 0) return false;
    draft.relationships.splice(random.below(draft.relationships.length), 1);
    return true;
  },
  'relationship: other rules': (draft, random) => {
    if (draft.relationships.length === 0) return false;
    const at = random.below(draft.relationships.length);
    const [parent, cardinality, child, relation] = draft.relationships[at] ?? [];
    const rules = { ...(relation as Loose | undefined) };
    const ofParent = draft.entities[String(parent)]?.attributes ?? {};
    const ofChild = draft.entities[String(rules['through'] ?? child)]?.attributes ?? {};
    const way = random.pick(['required', 'count', 'sum', 'by', 'through', 'cardinality']);
    if (rules[way] !== undefined && random.chance(0.5)) delete rules[way];
    else if (way === 'required') rules['required'] = true;
    else if (way === 'count') {
      ofParent['children'] ??= { type: 'int', default: 0 };
      rules['count'] = 'children';
    } else if (way === 'sum') {
      const numbers = Object.keys(ofChild).filter((name) =>
        ['int', 'number', 'bigint'].includes(ofChild[name]?.type ?? ''),
      );
      if (numbers.length === 0) return false;
      ofParent['total'] ??= { type: 'number', default: 0 };
      rules['sum'] = { total: random.pick(numbers) };
    } else if (way === 'by') {
      const [name] = random.some(keyNames(draft, String(parent)), 1);
      const [own] = random.some(Object.keys(ofChild), 1);
      if (name === undefined || own === undefined) return false;
      rules['by'] = { [name]: own };
    } else if (way === 'through') rules['through'] = random.pick(Object.keys(draft.entities));
    draft.relationships[at] = [
      parent,
      way === 'cardinality' ? random.pick(['1:1', '1:N', 'N:M']) : cardinality,
      child,
      rules,
    ];
    return true;
  },
};
