import type { RandomSource } from '../../../src/prove/random-source.ts';
import { type DraftWrite, keyNames, type Loose, writesOf, writeVerbs } from '../script-draft.ts';
import { valueOf } from './drawn-values.ts';
import {
  inWrites,
  inCondition,
  takesAt,
  setList,
  changeList,
  freeName,
  places,
  forEntity,
  type Apply,
} from './places.ts';
import type { AttributeScript } from '../model-script.ts';

export const ofWrites: Readonly<Record<string, Apply>> = {
  'write: another verb': inWrites((need, random, { write }) => {
    const verb = random.pick(writeVerbs);
    if (verb === write.verb) return false;
    const { [write.verb]: target } = need;
    delete need[write.verb];
    need[verb] = ['upserts', 'checks'].includes(verb) ? write.entity : target;
    if (['creates', 'puts', 'upserts'].includes(verb))
      for (const name of ['by', 'sets', 'maySet', 'changes', 'orCreates', 'returns', 'mustExist']) delete need[name];
    if (verb === 'deletes' || verb === 'checks')
      for (const name of ['sets', 'maySet', 'changes', 'orCreates']) delete need[name];
    return true;
  }),
  'write: one or several': inWrites((need, _, { write }) => {
    need[write.verb] = Array.isArray(need[write.verb]) ? write.entity : [write.entity];
    return !['upserts', 'checks'].includes(write.verb);
  }),
  'write: is of another entity': inWrites((need, random, { draft, entity }) => {
    const other = random.pick(Object.keys(draft.entities));
    if (other === entity) return false;
    Object.assign(need, forEntity(need, entity, other));
    return true;
  }),
  'write: by': inWrites((need, random, { draft, entity, names }) =>
    random.chance(0.2) ? setList(need, 'by', keyNames(draft, entity)) : changeList(need, 'by', names, random),
  ),
  'write: sets': inWrites(
    (need, random, { names, write }) => write.verb === 'updates' && changeList(need, 'sets', names, random),
  ),
  'write: may set': inWrites(
    (need, random, { names, write }) => write.verb === 'updates' && changeList(need, 'maySet', names, random),
  ),
  'write: changes': inWrites((need, random, { draft, names, attributes, write }) => {
    if (write.verb !== 'updates') return false;
    const known = (need['changes'] ?? {}) as Loose;
    const changed = Object.keys(known);
    if (changed.length > 0 && random.chance(0.3)) {
      const { [random.pick(changed)]: _, ...rest } = known;
      need['changes'] = rest;
      return true;
    }
    const name = random.pick(names);
    const schema = attributes[name] ?? { type: 'text' };
    const { optional: _, default: __, nullable: ___, ...own } = schema;
    const takes = takesAt(draft, write.path);
    need['changes'] = { ...known, ...changeOf(name, own, takes, random) };
    return true;
  }),
  'write: given': inWrites((need, random, at) =>
    inCondition(need, 'given', random, at, random.chance(0.3) ? takesAt(at.draft, at.write.path) : undefined),
  ),
  'write: or creates': inWrites((need, random, { draft, entity, names, write }) => {
    if (need['orCreates'] === true) return delete need['orCreates'];
    if (write.verb !== 'updates') return false;
    need['orCreates'] = true;
    need['by'] = keyNames(draft, entity);
    if (random.chance(0.7))
      setList(
        need,
        'sets',
        names.filter((name) => !keyNames(draft, entity).includes(name)),
      );
    return true;
  }),
  'write: rekeys': inWrites((need, random, { draft, write }) => {
    if (need['rekeys'] !== undefined) return delete need['rekeys'];
    const indexes = places(draft).filter((place) => !(place in draft.tables));
    if (write.verb !== 'updates' || indexes.length === 0) return false;
    need['rekeys'] = [random.pick(indexes)];
    return true;
  }),
  'write: returns': inWrites((need, random) => {
    if (need['returns'] !== undefined && random.chance(0.5)) return delete need['returns'];
    need['returns'] = random.pick(['new', 'old']);
    return true;
  }),
  'write: must exist': inWrites((need, random, { write }) => {
    if (need['mustExist'] !== undefined) return delete need['mustExist'];
    need['mustExist'] = write.verb === 'checks' ? false : random.chance(0.8);
    return true;
  }),
  'write: expired': inWrites((need) =>
    need['expired'] === true ? delete need['expired'] : ((need['expired'] = true), true),
  ),
  'write: a new one': (draft, random) => {
    const entity = random.pick(Object.keys(draft.entities));
    const { attributes = {} } = draft.entities[entity] ?? {};
    const by = keyNames(draft, entity);
    const others = Object.keys(attributes).filter((name) => !by.includes(name));
    const verb = random.pick(writeVerbs);
    const name = freeName(draft.patterns, verb);
    const target = random.chance(0.2) && verb !== 'upserts' && verb !== 'checks' ? [entity] : entity;
    draft.patterns[name] = {
      [verb]: target,
      ...(['updates', 'deletes', 'checks'].includes(verb) && { by }),
      ...(verb === 'updates' &&
        others.length > 0 && { [random.pick(['sets', 'maySet'])]: random.some(others, random.between(1, 3)) }),
      ...(verb === 'deletes' && random.chance(0.5) && { mustExist: true }),
    };
    draft.served[name] = 'PutItem';
    return true;
  },
  'write: two in a transaction': (draft, random) => {
    const writes = writesOf(draft);
    if (writes.length < 2) return false;
    const [one, two] = random.some(writes, 2);
    if (one === undefined || two === undefined) return false;
    const name = freeName(draft.patterns, 'both');
    const part = ({ need }: DraftWrite): Loose => {
      const { returns: _, transacts: __, id: ___, ...rest } = structuredClone(need);
      return rest;
    };
    draft.patterns[name] = { transacts: { one: part(one), two: part(two) } };
    for (const [at, { path }] of [
      ['one', one],
      ['two', two],
    ] as const)
      if (draft.takes[path] !== undefined) draft.takes[`${name}.${at}`] = structuredClone(draft.takes[path]);
    draft.served[name] = 'TransactWriteItems';
    return true;
  },
  'write: a part of a transaction is dropped': (draft, random) => {
    const all = Object.entries(draft.patterns).filter(([, need]) => Object.keys(need['transacts'] ?? {}).length > 1);
    if (all.length === 0) return false;
    const [, need] = random.pick(all);
    const parts = need['transacts'] as Loose;
    delete parts[random.pick(Object.keys(parts))];
    return true;
  },
  'procedure: is added': (draft, random) => {
    const writes = Object.keys(draft.patterns).filter((name) => draft.patterns[name]?.['reads'] === undefined);
    if (writes.length === 0) return false;
    draft.procedures[freeName(draft.procedures, 'work')] = {
      takes: random.some(writes, 3),
      ...(random.chance(0.2) && { scans: { [random.pick(places(draft))]: 'to see what it gives' } }),
    };
    return true;
  },
};

/** A change of an attribute, with the inputs that it takes. */
function changeOf(
  name: string,
  schema: AttributeScript,
  takes: Record<string, AttributeScript>,
  random: RandomSource,
): Loose {
  const reference = (input: string, of: AttributeScript): { ref: string } => {
    takes[input] = of;
    return { ref: input };
  };
  const general: (() => unknown)[] = [
    () => valueOf(schema, random),
    () => ({ remove: true }),
    () => ({ initial: valueOf(schema, random) }),
    () => reference('to', schema),
    () => ({ initial: reference('to', schema) }),
  ];
  switch (schema.type) {
    case 'int':
    case 'number':
      return {
        [name]: random.pick<() => unknown>([
          ...general,
          () => ({ add: random.pick([1, -1, 2]) }),
          () => ({ add: 1 }),
          () => ({
            add: reference('amount', { type: 'int', min: 0, max: 5 }),
            ...(random.chance(0.4) && { times: -1 }),
          }),
        ])(),
      };
    case 'set':
      return {
        [name]: random.pick<() => unknown>([
          () => ({ include: reference('tag', schema.of ?? { type: 'text' }) }),
          () => ({ exclude: reference('tag', schema.of ?? { type: 'text' }) }),
          () => ({ include: 'a' }),
          () => ({ remove: true }),
        ])(),
      };
    case 'list':
      return {
        [name]: random.pick<() => unknown>([
          () => ({ append: reference('more', schema) }),
          () => reference('to', schema),
        ])(),
      };
    case 'record':
      return {
        [`${name}.{label}`]: random.pick<() => unknown>([
          () => (reference('label', { type: 'text', min: 1 }), reference('entry', schema.of ?? { type: 'text' })),
          () => (reference('label', { type: 'text', min: 1 }), { remove: true }),
        ])(),
      };
    case 'object':
    case 'map': {
      const fields = schema.fields ?? {
        vip: { type: 'bool' as const },
        level: { type: 'number' as const, optional: true },
      };
      const field = random.pick(Object.keys(fields));
      return {
        [`${name}.${field}`]: random.chance(0.3)
          ? { remove: true }
          : reference('entry', fields[field] ?? { type: 'text' }),
      };
    }
    default:
      return { [name]: random.pick(general)() };
  }
}
