import { keyNames, type Loose, nameIn, piecesOf } from '../script-draft.ts';
import { testOf } from './drawn-values.ts';
import {
  anyKey,
  inReads,
  inCondition,
  takesAt,
  listOf,
  setList,
  changeList,
  freeName,
  places,
  forEntity,
  type Apply,
} from './places.ts';

export const ofReads: Readonly<Record<string, Apply>> = {
  'read: by': inReads((need, random, { names }) => changeList(need, 'by', names, random)),
  'read: where': inReads((need, random, at) =>
    inCondition(need, 'where', random, at, random.chance(0.3) ? takesAt(at.draft, at.pattern) : undefined),
  ),
  'read: within a document': inReads((need, random, { attributes }) => {
    const documents = Object.entries(attributes).filter(([, { type }]) => type === 'map' || type === 'object');
    if (documents.length === 0) return false;
    const [name, { fields = { vip: { type: 'bool' as const } } }] = random.pick(documents);
    const field = random.pick(Object.keys(fields));
    need['where'] = { ...(need['where'] as object | undefined), [`${name}.${field}`]: testOf(fields[field], random) };
    return true;
  }),
  'read: range': inReads((need, random, { names }) => {
    if (need['range'] !== undefined && random.chance(0.4)) return delete need['range'];
    need['range'] = random.pick(names);
    return true;
  }),
  'read: order': inReads((need, random, { names }) => {
    const [name = '', direction] = (need['order'] === undefined ? '' : (need['order'] as string)).split(' ');
    const way = random.below(4);
    if (way === 0 && name !== '') return delete need['order'];
    const turned = direction === 'desc' ? 'asc' : 'desc';
    need['order'] =
      name === '' || way === 1 ? `${random.pick(names)} ${random.pick(['asc', 'desc'])}` : `${name} ${turned}`;
    return true;
  }),
  'read: limit': inReads((need, random) => {
    if (need['limit'] !== undefined && random.chance(0.3)) return delete need['limit'];
    need['limit'] = random.between(1, 5);
    return true;
  }),
  'read: filters': inReads((need, random, { names }) => changeList(need, 'filters', names, random)),
  'read: attributes': inReads((need, random, { draft, entity, names }) => {
    if (need['attributes'] !== undefined && random.chance(0.5)) return delete need['attributes'];
    return setList(need, 'attributes', [
      ...(random.chance(0.7) ? keyNames(draft, entity) : []),
      ...random.some(names, random.between(1, 3)),
    ]);
  }),
  'read: each': inReads((need, random, { draft, pattern, entity }) => {
    if (need['each'] === true) {
      delete need['each'];
      draft.served[pattern] = 'GetItem';
    } else {
      need['each'] = true;
      need['reads'] = entity;
      draft.served[pattern] = 'BatchGetItem';
      void random;
    }
    return true;
  }),
  'read: count': inReads((need, _, { entity }) => {
    if (need['count'] === true) return delete need['count'];
    need['count'] = true;
    need['reads'] = [entity];
    delete need['limit'];
    delete need['order'];
    delete need['attributes'];
    return true;
  }),
  'read: expired': inReads((need) =>
    need['expired'] === true ? delete need['expired'] : ((need['expired'] = true), true),
  ),
  'read: consistent': inReads((need) =>
    need['consistent'] === true ? delete need['consistent'] : ((need['consistent'] = true), true),
  ),
  'read: unproven': inReads((need, random) => {
    if (need['unproven'] !== undefined) return delete need['unproven'];
    if (random.chance(0.7)) return false;
    need['unproven'] = 'by the keys alone';
    return true;
  }),
  'read: among': inReads((need, random, { draft, pattern }) => {
    const by = listOf(need, 'by');
    const served = draft.served[pattern];
    if (by.length === 0 || typeof served !== 'object' || served === null || !('query' in served)) return false;
    const name = random.pick(by);
    const most = random.between(2, 4);
    if (random.chance(0.3)) {
      need['by'] = by.filter((each) => each !== name);
      need['aka'] = { ...(need['aka'] as object | undefined), [`${name}s`]: name };
      need['among'] = { [`${name}s`]: most };
    } else need['among'] = { [name]: most };
    draft.served[pattern] = { ...served, fanOut: most };
    return true;
  }),
  'read: aka': inReads((need, random, { names }) => {
    const by = listOf(need, 'by');
    const known = (need['aka'] ?? {}) as Loose;
    const [first] = Object.keys(known);
    if (first !== undefined && random.chance(0.4)) {
      need['aka'] = { ...known, [first]: [...new Set([known[first], random.pick(names)].flat())].slice(0, 3) };
      return true;
    }
    const [name] = random.some(by, 1);
    if (name === undefined) return false;
    setList(
      need,
      'by',
      by.filter((each) => each !== name),
    );
    need['aka'] = { ...known, [`${name}Or`]: random.chance(0.5) ? name : [name, random.pick(names)] };
    return true;
  }),
  'read: window': inReads((need, random, { names }) => {
    const known = need['window'] as Loose | undefined;
    if (known !== undefined && random.chance(0.3)) return delete need['window'];
    need['window'] = {
      of: known !== undefined && random.chance(0.7) ? known['of'] : random.pick(names),
      from: random.pick(['2024-02-28', 'now-3d', '2024-03-01T11:59:59.500Z', 'now']),
      ...(random.chance(0.5) && { to: random.pick(['now', 'now+2d', '2024-03-02', '2024-03-01T12:00:00Z']) }),
    };
    return true;
  }),
  'read: one item becomes a list, or the other way': inReads((need, random, { entity }) => {
    need['reads'] = Array.isArray(need['reads']) ? entity : [entity];
    if (!Array.isArray(need['reads']))
      for (const name of ['limit', 'range', 'filters', 'count']) if (random.chance(0.8)) delete need[name];
    return true;
  }),
  'read: another entity is in the collection': inReads((need, random, { draft, entity }) => {
    const other = random.pick(Object.keys(draft.entities));
    if (other === entity) return false;
    need['reads'] = random.chance(0.7)
      ? { other, items: [entity] }
      : random.chance(0.5)
        ? { others: [other], items: [entity] }
        : { other, item: entity };
    if (!JSON.stringify(need['reads']).includes('['))
      draft.served[Object.keys(draft.patterns).find((name) => draft.patterns[name] === need) ?? ''] = 'GetItem';
    return true;
  }),
  'read: the parent is not in the collection': inReads((need, _, { entity }) => {
    if (typeof need['reads'] !== 'object' || Array.isArray(need['reads'])) return false;
    need['reads'] = [entity];
    return true;
  }),
  'read: is of another entity': inReads((need, random, { draft, pattern, entity }) => {
    const other = random.pick(Object.keys(draft.entities));
    if (other === entity) return false;
    const name = freeName(draft.patterns, pattern);
    draft.patterns[name] = forEntity(need, entity, other);
    draft.served[name] = structuredClone(draft.served[pattern]);
    if (draft.takes[pattern] !== undefined) draft.takes[name] = structuredClone(draft.takes[pattern]);
    return true;
  }),
  'read: is doubled': inReads((need, _, { draft, pattern }) => {
    const name = freeName(draft.patterns, pattern);
    draft.patterns[name] = structuredClone(need);
    draft.served[name] = structuredClone(draft.served[pattern]);
    if (draft.takes[pattern] !== undefined) draft.takes[name] = structuredClone(draft.takes[pattern]);
    return true;
  }),
  'read: a new one of a key': (draft, random) => {
    const found = anyKey(draft, random);
    const form = found?.forms[0];
    if (found === undefined || form === undefined) return false;
    const [partition = '', ...sort] = form.key ?? [];
    const by = [
      ...new Set(
        piecesOf(partition)
          .map(nameIn)
          .filter((name) => name !== undefined),
      ),
    ];
    const [first] = sort
      .flatMap(piecesOf)
      .map(nameIn)
      .filter((name) => name !== undefined);
    const name = freeName(draft.patterns, 'list');
    draft.patterns[name] = {
      reads: [found.entity],
      by,
      ...(form.when !== undefined && { where: form.when }),
      ...(first !== undefined && random.chance(0.6) && { order: `${first} ${random.pick(['asc', 'desc'])}` }),
      ...(first !== undefined && random.chance(0.5) && { range: first }),
      ...(random.chance(0.5) && { limit: random.between(1, 3) }),
    };
    draft.served[name] = { query: found.place };
    return true;
  },
  'served: another place': inReads((_, random, { draft, pattern }) => {
    const served = draft.served[pattern];
    const place = random.pick(places(draft));
    const isQuery = typeof served === 'object' && served !== null && 'query' in served;
    draft.served[pattern] = isQuery ? { ...served, query: place } : { query: place };
    return true;
  }),
  'served: two indexes': inReads((_, random, { draft, pattern }) => {
    const served = draft.served[pattern] as Loose;
    const [other = ''] = random.some(places(draft), 1);
    if (typeof served['query'] === 'string') draft.served[pattern] = { ...served, query: [served['query'], other] };
    else if (Array.isArray(served['query'])) draft.served[pattern] = { ...served, query: random.pick(served['query']) };
    else return false;
    return true;
  }),
  'served: fan-out': inReads((_, random, { draft, pattern }) => {
    const served = draft.served[pattern] as Loose;
    if (typeof served !== 'object' || !('query' in served)) return false;
    const { fanOut, ...rest } = served;
    draft.served[pattern] =
      fanOut !== undefined && random.chance(0.4) ? rest : { ...served, fanOut: random.pick([2, 3, 4, 8]) };
    return true;
  }),
  'served: walk': inReads((need, random, { draft, pattern, names }) => {
    const served = draft.served[pattern] as Loose;
    if (typeof served !== 'object' || !('query' in served)) return false;
    const { walk, ...rest } = served;
    if (walk !== undefined && random.chance(0.3)) draft.served[pattern] = rest;
    else {
      const unit = random.pick(['second', 'hour', 'day', 'week', 'month', 'year']);
      draft.served[pattern] = { ...served, walk: { unit, most: random.between(1, 5) } };
      need['window'] ??= { of: random.pick(names), from: 'now-3d' };
    }
    return true;
  }),
  'served: read ahead': inReads((_, random, { draft, pattern }) => {
    const served = draft.served[pattern] as Loose;
    if (typeof served !== 'object' || !('query' in served)) return false;
    const { readAhead, ...rest } = served;
    draft.served[pattern] = readAhead === undefined ? { ...served, readAhead: random.between(1, 4) } : rest;
    return true;
  }),
  'served: scan': inReads((need, random, { draft, pattern }) => {
    if (random.chance(0.5)) delete need['by'];
    draft.served[pattern] = { scan: random.pick(places(draft)), because: 'to see what it gives' };
    need['accepts'] = { ...(need['accepts'] as object | undefined), scan: 'to see what it gives' };
    return true;
  }),
  'served: by get': inReads((need, _, { draft, pattern, entity }) => {
    need['reads'] = entity;
    need['by'] = keyNames(draft, entity);
    draft.served[pattern] = need['each'] === true ? 'BatchGetItem' : 'GetItem';
    return true;
  }),
};
