import type { RandomSource } from '../../src/prove/random-source.ts';
import type { AttributeScript, ModelScript } from './model-script.ts';
import { rareModel } from './rare-model.ts';

type Attributes = Record<string, AttributeScript>;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A key that serves a pattern, with its templates. */
interface Serving {
  /** The entity's key in the place: with forms, or without. */
  key: unknown;
  served: unknown;
}

type Kind = 'one' | 'many' | 'collection' | 'each' | 'scan';

const separators = ['#', '#', '#', '#', '#', '|', '~', '/', '-'] as const;
const states = ['OPEN', 'DONE', 'VOID', 'O'] as const;

/**
 * Draws a model: the pattern first, then a key that nearly serves it, then up to two changes at random. About a third of
 * them pass `check`. One in eight is a rare one instead.
 */
export function randomModel(random: RandomSource): ModelScript {
  // Drawn apart, so that the other draws stay as they were.
  const apart = random.fork(1);
  return apart.chance(0.12) ? rareModel(apart) : new RandomModel(random).draw();
}

class RandomModel {
  readonly #random: RandomSource;
  readonly #separator: string;

  constructor(random: RandomSource) {
    this.#random = random;
    this.#separator = random.pick(separators);
  }

  draw(): ModelScript {
    const random = this.#random;
    const attributes = this.#attributes();
    const rules: Record<string, unknown> = {};
    if (random.chance(0.15)) {
      attributes['until'] = { type: 'int', optional: random.chance(0.5) };
      rules['expires'] = 'until';
    }
    if (this.#computed !== undefined) rules['computed'] = { c: this.#computed };
    const kind = this.#kind();
    const need = this.#need(kind, attributes);
    const place = this.#place(kind);
    const tableKey = this.#tableKey(attributes);
    const serving = this.#serving(kind, need, attributes, place, tableKey);
    const keys: Record<string, Record<string, unknown>> = { Item: { Data: tableKey } };
    if (place !== 'Data') keys['Item'] = { Data: tableKey, [place]: serving.key };
    else if (Array.isArray(serving.key)) keys['Item'] = { Data: serving.key };
    const script: Mutable<ModelScript> = {
      entities: { Item: { attributes, rules } },
      patterns: { read: need },
      tables: { Data: this.#table(place, serving, attributes) },
      keys,
      served: { read: serving.served },
    };
    if (kind === 'many' && need['order'] === undefined && random.chance(0.08)) {
      need['count'] = true;
      delete need['limit'];
      delete need['attributes'];
    }
    if (kind === 'collection') this.#addParent(script, place, serving);
    if (random.chance(0.25)) this.#addNeighbour(script, place);
    if (random.chance(need['aka'] === undefined ? 0.12 : 0.8)) this.#addSecondIndex(script, place);
    const takes = takesOf(need, attributes);
    if (takes !== undefined) script.takes = { read: takes };
    return this.#edited(this.#dressed(script, kind, place));
  }

  #kind(): Kind {
    const drawn = this.#random.next();
    return drawn < 0.6 ? 'many' : drawn < 0.76 ? 'collection' : drawn < 0.9 ? 'one' : drawn < 0.95 ? 'each' : 'scan';
  }

  /** `h` groups items, `id` distinguishes them, the others are used in conditions, ranges, orders and filters. */
  #attributes(): Attributes {
    const random = this.#random;
    const attributes: Attributes = { h: this.#partitionAttribute(), id: this.#identityAttribute() };
    for (const name of random.some(['s', 't', 'n', 'v', 'o'], random.between(1, 3)))
      attributes[name] = this.#attribute(name);
    if (random.chance(0.15)) attributes['tags'] = { type: 'set', optional: random.chance(0.5) };
    if (random.chance(0.1)) attributes['doc'] = { type: 'map', optional: random.chance(0.3) };
    if (random.chance(0.05)) attributes['list'] = { type: 'list', optional: random.chance(0.5) };
    if (random.chance(0.08)) this.#addComputed(attributes);
    return attributes;
  }

  #partitionAttribute(): AttributeScript {
    return this.#random.pick<AttributeScript>([
      { type: 'text' },
      { type: 'text' },
      { type: 'pattern', pattern: '^[a-z]{1,3}$' },
      { type: 'enum', values: ['x', 'xy'] },
      { type: 'int', min: 0, max: 99 },
    ]);
  }

  #identityAttribute(): AttributeScript {
    return this.#random.pick<AttributeScript>([
      { type: 'text' },
      { type: 'text' },
      { type: 'pattern', pattern: '^[a-z0-9]{4}$' },
      { type: 'pattern', pattern: '^[a-zA-Z0-9]+$' },
      { type: 'int', min: 0, max: 999 },
      { type: 'ulid' },
    ]);
  }

  /** `c` is computed from one or two of the others. */
  #addComputed(attributes: Attributes): void {
    const from = this.#random.some(Object.keys(attributes), this.#random.between(1, 2));
    const isOptional = from.some((name) => attributes[name]?.optional === true || attributes[name]?.type === 'text');
    attributes['c'] = { type: 'text', ...(isOptional && { optional: true }) };
    this.#computed = from;
  }

  #computed: readonly string[] | undefined;

  #attribute(name: string): AttributeScript {
    const random = this.#random;
    const presence: Partial<AttributeScript> = random.chance(0.2) ? { optional: true } : {};
    switch (name) {
      case 's': {
        const [first, ...others] = random.some(states, random.between(1, 4));
        return {
          type: 'enum',
          values: [first ?? 'OPEN', ...others],
          ...(random.chance(0.15) ? { default: first ?? 'OPEN' } : presence),
        };
      }
      case 't':
        return {
          ...random.pick<AttributeScript>([
            { type: 'date' },
            { type: 'datetime' },
            { type: 'datetime', precision: 0 },
            { type: 'datetime', precision: 3 },
            { type: 'datetime', precision: 0 },
            { type: 'datetime', offset: true },
            { type: 'datetime', local: true },
            { type: 'ksuid' },
            { type: 'ulid' },
          ]),
          ...presence,
        };
      case 'n':
        return {
          ...random.pick<AttributeScript>([
            { type: 'int', min: 0, max: random.pick([9, 99, 999, 9999]) },
            { type: 'int', min: 0, max: random.pick([9, 99, 999, 9999]) },
            { type: 'int', min: 10, max: 9999 },
            { type: 'int', min: 10, max: 99 },
            { type: 'int', min: -9, max: 99 },
            { type: 'int' },
            { type: 'number' },
            { type: 'int', min: 0, max: 999, coerce: true },
            { type: 'bigint' },
            { type: 'int', min: 10, max: 99, default: 5 },
            { type: 'int', min: 10, max: 99, catch: 5 },
            { type: 'int', min: 0, meta: { minimum: 10, maximum: 99 } },
            { type: 'literals', values: [1, 2, 10] },
            { type: 'literals', values: [10, 20] },
          ]),
          ...presence,
        };
      case 'v':
        return {
          ...random.pick<AttributeScript>([
            { type: 'text' },
            { type: 'text', min: 1, max: 8 },
            { type: 'text', min: 3, max: 3 },
            { type: 'text', min: 1, meta: { minLength: 3, maxLength: 3 } },
            { type: 'pattern', pattern: '^[b-z]{3}' },
            { type: 'pattern', pattern: '^[a-z]+$' },
            { type: 'pattern', pattern: '^[a-z]{3}$' },
            { type: 'pattern', pattern: '^[a-z]+$', flags: random.pick(['i', 'm']) },
            { type: 'pattern', pattern: '^[b-z]+$', after: 'upper' },
            { type: 'text', min: 3, max: 3, after: 'trim' },
            { type: 'pattern', pattern: '^org:[^:#]+$' },
            { type: 'pattern', pattern: '^org:[a-c]+$' },
            { type: 'text', lower: true },
            { type: 'literals', values: [1, '1', 'a'] },
            { type: 'bool' },
            { type: 'text', nullable: true },
          ]),
          ...presence,
        };
      default:
        return { type: 'text', ...(random.chance(0.7) ? { optional: true } : {}) };
    }
  }

  #need(kind: string, attributes: Attributes): Record<string, unknown> {
    const random = this.#random;
    const others = Object.keys(attributes).filter(
      (name) => !['h', 'id', 'tags', 'doc', 'list', 'until'].includes(name),
    );
    const need: Record<string, unknown> = { reads: kind === 'one' || kind === 'each' ? 'Item' : ['Item'] };
    if (kind === 'scan') {
      if (random.chance(0.4)) need['by'] = [random.pick(['h', ...others])];
      if (random.chance(0.5)) need['where'] = this.#where(attributes, others);
      // What a scan does not do.
      if (random.chance(0.1)) need['reads'] = random.pick(['Item', { items: ['Item'] }]);
      if (random.chance(0.1)) need['order'] = `id ${random.pick(['asc', 'desc'])}`;
      if (random.chance(0.1)) need['range'] = 'id';
      if (random.chance(0.1) && attributes['v'] !== undefined && attributes['o'] !== undefined)
        need['aka'] = { either: ['v', 'o'] };
      return need;
    }
    if (kind === 'one' || kind === 'each') {
      need['by'] = random.chance(0.8) ? ['h', 'id'] : ['h', 'id', ...random.some(others, 1)];
      if (kind === 'each') need['each'] = true;
      if (random.chance(0.2)) need['where'] = this.#where(attributes, others);
      return need;
    }
    if (kind === 'collection') need['reads'] = { parent: 'Parent', items: ['Item'] };
    need['by'] = ['h', ...(random.chance(0.35) ? random.some(others, 1) : [])];
    const named = need['by'] as string[];
    if (random.chance(0.08) && attributes['v']?.type === 'text' && !named.includes('v')) {
      attributes['w'] = attributes['v'];
      need['aka'] = { either: ['v', 'w'] };
    }
    const sortable = ['t', 'n', 'v', 'id', 's', 'o', 'c'].filter(
      (name) => attributes[name] !== undefined && !named.includes(name),
    );
    const target = sortable[0] === undefined ? undefined : random.pick(sortable);
    if (target !== undefined && random.chance(0.45)) need['range'] = target;
    if (target !== undefined && random.chance(0.5)) {
      const by = random.chance(0.9) ? target : random.pick(sortable);
      need['order'] = `${by} ${random.pick(['asc', 'desc'])}`;
    }
    if (random.chance(0.35)) need['where'] = this.#where(attributes, others);
    if (random.chance(0.2)) {
      const filters = random.some(others, 1);
      if (filters.length > 0) need['filters'] = filters;
    }
    if (random.chance(0.4)) need['limit'] = random.between(1, 4);
    if (random.chance(0.1)) need['attributes'] = ['h', 'id', ...(target === undefined ? [] : [target])];
    if (random.chance(0.1)) need['expired'] = true;
    return need;
  }

  #where(attributes: Attributes, others: readonly string[]): object {
    const random = this.#random;
    if (attributes['tags'] !== undefined && random.chance(0.3))
      return { tags: random.pick<object>([{ contains: 'x' }, { size: { above: 1 } }, { lacks: 'x' }]) };
    if (attributes['list'] !== undefined && random.chance(0.4))
      return { list: random.pick<object>([{ contains: 'a' }, { size: { atLeast: 1 } }, { exists: true }]) };
    if (others.length > 1 && random.chance(0.08)) {
      const any = random.some(others, 2).map((each) => ({ [each]: this.#test(each, attributes[each]) }));
      return { any };
    }
    if (attributes['doc'] !== undefined && random.chance(0.4)) return { 'doc.vip': true };
    const name = random.pick(others);
    return { [name]: this.#test(name, attributes[name]) };
  }

  #test(name: string, attribute: AttributeScript | undefined): unknown {
    const random = this.#random;
    const { type = 'text', values = [], optional } = attribute ?? {};
    if (optional === true && random.chance(0.5)) return { exists: random.chance(0.9) };
    if (random.chance(0.1) && ['t', 'n', 'v'].includes(name))
      return { [random.pick(['above', 'atMost'])]: { ref: 'given' } };
    switch (type) {
      case 'enum':
      case 'literals':
        return random.pick<unknown>([
          random.pick(values),
          random.pick(values),
          random.some(values, 2),
          { not: random.pick(values) },
        ]);
      case 'int':
      case 'number':
        return random.pick<unknown>([{ above: 9 }, { atMost: 99 }, { atLeast: 10, below: 100 }, 10, { not: 10 }]);
      case 'bool':
        return random.chance(0.5);
      case 'date':
      case 'datetime':
        return { above: '2024-01-01' };
      default:
        return random.pick<unknown>([
          { begins: 'a' },
          'a',
          ['a', 'b'],
          { contains: 'b' },
          { size: { above: 1 } },
          { exists: true },
        ]);
    }
  }

  #place(kind: string): 'Data' | 'Index' | 'Local' {
    if (kind === 'one' || kind === 'each') return this.#random.chance(0.85) ? 'Data' : 'Index';
    const drawn = this.#random.next();
    return drawn < 0.62 ? 'Index' : drawn < 0.93 ? 'Data' : 'Local';
  }

  /** Distinguishes items by `h` and `id`, nearly always. */
  #tableKey(attributes: Attributes): string[] {
    const h = this.#hole('h', attributes['h'], false);
    const id = this.#hole('id', attributes['id'], false);
    return this.#random.pick([
      [`A${this.#separator}${h}`, `I${this.#separator}${id}`],
      [`A${this.#separator}${h}`, `I${this.#separator}${id}`],
      [`A${this.#separator}${h}${this.#separator}${id}`, 'A'],
      [`A${this.#separator}${h}${this.#random.pick(['-', '.', 'x'])}${id}`, 'A'],
      [h, id],
    ]);
  }

  #table(place: string, { key }: Serving, attributes: Attributes): object {
    const separator = this.#separator === '#' ? {} : { separator: this.#separator };
    const names = attributeNames(key);
    if (place === 'Local')
      return { key: ['PK', 'SK'], indexes: { Local: { local: names.at(-1) ?? 'L1' } }, ...separator };
    if (place === 'Data') return { key: ['PK', 'SK'], ...separator };
    const projection = this.#random.chance(0.1)
      ? { project: this.#random.pick<unknown>(['KEYS_ONLY', ['h', 'id', 't', 'n'], Object.keys(attributes)]) }
      : {};
    const index =
      names.length === 2 && Object.keys(projection).length === 0
        ? names
        : { partition: names.slice(0, this.#partitions), sort: names.slice(this.#partitions), ...projection };
    return { key: ['PK', 'SK'], indexes: { Index: index }, ...separator };
  }

  /** The input that chooses a form, and that its key does not have. */
  #chooses: string | undefined;

  /** Attributes of the index's partition key, once its key is drawn. */
  #partitions = 1;

  #serving(
    kind: string,
    need: Record<string, unknown>,
    attributes: Attributes,
    place: string,
    tableKey: string[],
  ): Serving {
    if (kind === 'one' && place === 'Data') return { key: tableKey, served: 'GetItem' };
    if (kind === 'each') return { key: tableKey, served: place === 'Data' ? 'BatchGetItem' : { query: place } };
    const partition = `${this.#literal('H')}${this.#hole('h', attributes['h'], false)}`;
    if (kind === 'scan') return { key: [partition, '{id}'], served: { scan: place, because: 'a random model' } };
    const forms = this.#forms(need, attributes, partition, place);
    const served: Record<string, unknown> = { query: place };
    if (this.#random.chance(0.3) && (need['where'] !== undefined || need['filters'] !== undefined))
      served['readAhead'] = this.#random.between(1, 5);
    const spread = this.#spread(need, attributes, place, { key: forms, served });
    if (kind === 'collection' || this.#random.chance(0.9)) return spread;
    const [input = 'h'] = this.#random.chance(0.9) ? ['h'] : (need['by'] as readonly string[]).slice(-1);
    const { fanOut = 1 } = spread.served as { readonly fanOut?: number };
    need['among'] = { [input]: 3 };
    if (this.#random.chance(0.2) && need['aka'] === undefined) {
      need['by'] = (need['by'] as readonly string[]).filter((name) => name !== input);
      need['aka'] = { list: input };
      need['among'] = { list: 3 };
    }
    return { ...spread, served: { ...(spread.served as object), fanOut: fanOut * 3 } };
  }

  /** Sometimes the partition of many items, spread over shards or units of time. */
  #spread(need: Record<string, unknown>, attributes: Attributes, place: string, serving: Serving): Serving {
    const random = this.#random;
    if (place !== 'Index' || !Array.isArray(serving.key) || typeof serving.key[0] !== 'string') return serving;
    const [partition, ...sort] = serving.key as string[];
    const by = need['by'] as readonly string[];
    if (random.chance(0.08) && !by.includes('id')) {
      const count = random.between(2, 4);
      return {
        key: [`${partition ?? ''}${this.#separator}{id:shard${count}}`, ...sort],
        served: { ...(serving.served as object), fanOut: random.chance(0.95) ? count : count - 1 },
      };
    }
    const time = attributes['t'];
    if (random.chance(0.22) && time !== undefined && ['date', 'datetime'].includes(time.type) && !by.includes('t')) {
      const unit = random.pick(['hour', 'day', 'month', 'year', 'week']);
      need['window'] = {
        of: 't',
        from: random.pick(['2020-01-01', '2024-02-29', '1960-01-01', 'now-400d']),
        ...(random.chance(0.5) && { to: random.pick(['now+7d', '2024-03-01', '2290-01-01', 'now']) }),
      };
      return {
        key: [`${partition ?? ''}${this.#separator}{t:${unit}}`, ...sort],
        served: {
          ...(serving.served as object),
          walk: { unit, most: random.pick([2, 40, 400]) },
        },
      };
    }
    return serving;
  }

  /** One key, or one for each value of the attribute that chooses the form. */
  #forms(need: Record<string, unknown>, attributes: Attributes, partition: string, place: string): unknown {
    const random = this.#random;
    const where = need['where'] as Record<string, unknown> | undefined;
    const [tested] = Object.keys(where ?? {});
    const multi = place === 'Index' && random.chance(0.12);
    const key = (prefix: string): string[] => this.#keyOf(need, attributes, partition, prefix, multi);
    if (place === 'Data') return key('I');
    if (place === 'Local') return key('').slice(1);
    const state = attributes['s'];
    if (state !== undefined && random.chance(0.25)) {
      const values = random.some(state.values ?? [], random.between(1, 3));
      const by = need['by'] as readonly string[];
      if (need['range'] !== 's' && orderOf(need).split(' ')[0] !== 's' && random.chance(0.3))
        need['by'] = [...new Set([...by, 's'])];
      // The form alone may say which items have an input, and not the key.
      this.#chooses = random.chance(0.5) ? 's' : undefined;
      const alike = key('').slice(1);
      const forms = values.map((value) => ({
        when: { s: value },
        key: random.chance(0.6)
          ? [partition, `${String(value)}${this.#separator}${alike.join('')}`]
          : key(String(value)),
      }));
      if (random.chance(0.2)) return [...forms, { when: { s: { exists: true } }, key: [partition, alike.join('')] }];
      return forms;
    }
    if (where !== undefined && tested !== undefined && random.chance(0.55)) return { when: where, key: key('W') };
    if (random.chance(0.1) && attributes['o'] !== undefined) return { when: { o: { exists: true } }, key: key('O') };
    return key('S');
  }

  /** Partition and sort key: first the inputs, then the attribute of the range or order, then the distinguishing one. */
  #keyOf(
    need: Record<string, unknown>,
    attributes: Attributes,
    partition: string,
    prefix: string,
    multi: boolean,
  ): string[] {
    const random = this.#random;
    const by = (need['by'] as readonly string[]).filter((name) => name !== 'h' && name !== this.#chooses);
    const constants = Object.entries((need['where'] ?? {}) as Record<string, unknown>)
      .filter(([, test]) => typeof test !== 'object')
      .map(([name]) => name);
    const fixed = [...by, ...(random.chance(0.5) ? constants : [])];
    const [order] = orderOf(need).split(' ');
    const target = (need['range'] as string | undefined) ?? (order === '' ? undefined : order);
    const sorted = target === undefined || fixed.includes(target) ? [] : [target];
    // Mostly one of the attributes of an input: another index has the other.
    const [alias, other] = Object.values((need['aka'] ?? {}) as Record<string, string[]>).flat();
    const aliased = [alias, random.chance(0.2) ? other : undefined].filter((name) => name !== undefined);
    const holes = [...fixed, ...aliased, ...sorted].map((name) =>
      this.#hole(name, attributes[name], sorted.includes(name)),
    );
    const last = sorted.includes('id') || random.chance(0.1) ? [] : [this.#hole('id', attributes['id'], false)];
    if (multi) {
      const sort = [...holes, ...last].slice(0, 4);
      this.#partitions = 1;
      return [partition, ...sort];
    }
    const inPartition = by.length > 0 && random.chance(0.3) ? holes.splice(0, by.length) : [];
    const separator = random.chance(0.9) ? this.#separator : random.pick(['', '', '-', '.']);
    const start = prefix === '' || random.chance(0.3) ? [] : [prefix];
    return [[partition, ...inPartition].join(this.#separator), [...start, ...holes, ...last].join(separator)];
  }

  #literal(text: string): string {
    const below = String.fromCodePoint((this.#separator.codePointAt(0) ?? 35) - 1);
    return this.#random.pick([
      `${text}${this.#separator}`,
      `${text}${this.#separator}`,
      `${text}${this.#separator}`,
      '',
      `A${text}${this.#separator}`,
      `${text}${below}`,
      `é${this.#separator}`,
    ]);
  }

  /** A variable, usually with an encoder that suits its attribute. */
  #hole(name: string, attribute: AttributeScript | undefined, sorted: boolean): string {
    const random = this.#random;
    const suited = suitedEncoders(attribute, sorted);
    if (suited.length > 0 && random.chance(0.85)) return `{${name}:${random.pick(suited)}}`;
    return random.chance(0.93) ? `{${name}}` : `{${name}:${random.pick(anyEncoders)}}`;
  }

  #addParent(script: Mutable<ModelScript>, place: string, serving: Serving): void {
    const random = this.#random;
    const first = firstForm(serving.key);
    const partition = place === 'Local' ? undefined : first[0];
    const [tablePartition = 'A'] = firstForm(
      script.keys['Item'] === undefined ? [] : Object.values(script.keys['Item'])[0],
    );
    const h = script.entities['Item']?.attributes['h'] ?? { type: 'text' };
    const own = random.pick(['A', 'PARENT', '!', '~', 'P', 'zz']);
    const tidy = (template: string): string =>
      /^[^{]*\{h[^}]*\}$/.test(template) ? template : `P${this.#separator}{h}`;
    // Several parents may then have what the index is asked for.
    const isKeyedByMore = place === 'Index' && random.chance(0.2);
    const title = { type: 'text', optional: true } as const;
    const attributes = isKeyedByMore ? { h, w: { type: 'text' } as const, title } : { h, title };
    const rules = isKeyedByMore && random.chance(0.6) ? { generated: ['h'] } : {};
    script.entities = { ...script.entities, Parent: { attributes, rules } };
    const ownSort = isKeyedByMore ? `PARENT${this.#separator}{w}` : 'PARENT';
    const keys: Record<string, unknown> = { Data: [tidy(tablePartition), place === 'Data' ? own : ownSort] };
    if (place === 'Index')
      keys['Index'] = [tidy(partition ?? ''), ...first.slice(1).map((_, i) => (i === 0 ? own : 'P'))];
    if (place === 'Local') keys['Local'] = [own];
    script.keys = { ...script.keys, Parent: keys };
  }

  /** Another entity whose keys begin nearly the same. */
  #addNeighbour(script: Mutable<ModelScript>, place: string): void {
    const random = this.#random;
    const attributes: Attributes = {
      h: script.entities['Item']?.attributes['h'] ?? { type: 'text' },
      id: { type: 'text' },
    };
    script.entities = { ...script.entities, Other: { attributes } };
    const near = (template: string): string => {
      const [literal = ''] = template.split('{');
      // The least text above those that begin alike.
      const end = `${literal.slice(0, -1)}${String.fromCodePoint((literal.codePointAt(literal.length - 1) ?? 35) + 1)}`;
      const key = `${literal}X${this.#separator}{id}`;
      return random.pick([`${literal}{id}`, key, `X${this.#separator}{id}`, '{id}', end]);
    };
    const [partition = 'A', sort = 'B'] = firstForm(Object.values(script.keys['Item'] ?? {})[0]);
    const keys: Record<string, unknown> = {
      Data: [/\{h/.test(partition) && !/\{id/.test(partition) ? partition : `N${this.#separator}{h}`, near(sort)],
    };
    const index = firstForm((script.keys['Item'] as Record<string, unknown>)[place]);
    if (place === 'Index' && random.chance(0.6))
      keys['Index'] = index.map((template, i) =>
        i === 0 ? (/^[^{]*\{h[^}]*\}$/.test(template) ? template : `N${this.#separator}{h}`) : near(template),
      );
    script.keys = { ...script.keys, Other: keys };
  }

  /** The same reads from two indexes, merged. */
  #addSecondIndex(script: Mutable<ModelScript>, place: string): void {
    const served = script.served['read'] as { readonly query?: unknown };
    const data = script.tables['Data'] as { readonly indexes?: Record<string, unknown> };
    if (place !== 'Index' || served.query === undefined || !Array.isArray(data.indexes?.['Index'])) return;
    const item = script.keys['Item'] as Record<string, unknown>;
    script.tables = { Data: { ...data, indexes: { ...data.indexes, Second: ['Second1', 'Second2'] } } };
    const key = JSON.stringify(item['Index']);
    const isAlias = JSON.stringify(script.patterns).includes('"aka"');
    const changed = this.#random.chance(isAlias ? 0.1 : 0.5)
      ? key
      : key.replaceAll('{v', '{w').replaceAll('{s}', '{h}');
    const known = (changed.match(/\{(\w+)/g) ?? []).every((name) =>
      Object.hasOwn(script.entities['Item']?.attributes ?? {}, name.slice(1)),
    );
    const parent = script.keys['Parent'] as Record<string, unknown> | undefined;
    script.keys = {
      ...script.keys,
      Item: { ...item, Second: JSON.parse(known ? changed : key) as unknown },
      ...(parent === undefined ? {} : { Parent: { ...parent, Second: parent['Index'] } }),
    };
    script.served = { read: { ...served, query: ['Index', 'Second'] } };
  }

  /** Constructs that any model may have, whatever else is in it. */
  #dressed(given: Mutable<ModelScript>, kind: Kind, place: string): ModelScript {
    const random = this.#random;
    let script: ModelScript = given;
    for (const dress of this.#dresses(kind, place)) if (random.chance(0.07)) script = dress(script);
    return script;
  }

  #dresses(kind: Kind, place: string): ((script: ModelScript) => ModelScript)[] {
    const random = this.#random;
    const withItem = (script: ModelScript, attributes: Attributes, rules: object = {}): ModelScript => ({
      ...script,
      entities: {
        ...script.entities,
        Item: {
          attributes: { ...script.entities['Item']?.attributes, ...attributes },
          rules: { ...script.entities['Item']?.rules, ...rules },
        },
      },
    });
    const withNeed = (script: ModelScript, need: object): ModelScript => ({
      ...script,
      patterns: { read: { ...script.patterns['read'], ...need } },
    });
    const inKeys = (script: ModelScript, from: string | RegExp, to: string): ModelScript => ({
      ...script,
      keys: JSON.parse(JSON.stringify(script.keys).replaceAll(from, to)) as ModelScript['keys'],
    });
    const inTable = (script: ModelScript, name: string, more: object): ModelScript => ({
      ...script,
      tables: { ...script.tables, [name]: { ...script.tables[name], ...more } },
    });
    const itemAttributes = (script: ModelScript): Attributes => ({ ...script.entities['Item']?.attributes });
    const codecs = (script: ModelScript): ModelScript => {
      const computed = this.#computed ?? [];
      const open = Object.entries(itemAttributes(script)).filter(
        ([name, { type }]) => ![...computed, 'c', 'until'].includes(name) && !['set', 'map', 'list'].includes(type),
      );
      const chosen = random
        .some(open, random.between(1, open.length))
        .map(([name, attribute]): [string, AttributeScript] => {
          const isTime = attribute.type === 'datetime' && attribute.precision === 3;
          return [name, { ...attribute, codec: isTime && random.chance(0.8) ? 'date' : 'box' }];
        });
      const coded = Object.fromEntries(chosen);
      const takes = script.takes?.['read']?.['given'];
      const [tested = ''] = Object.keys((script.patterns['read'] as { readonly where?: object }).where ?? {});
      const given = coded[tested]?.codec;
      return {
        ...withItem(script, coded),
        ...(takes !== undefined && given !== undefined && { takes: { read: { given: { ...takes, codec: given } } } }),
      };
    };
    const same = (script: ModelScript): ModelScript => {
      const all = Object.entries(itemAttributes(script));
      const texts = all.filter(([, { type }]) => type === 'text' || type === 'pattern');
      if (texts.length === 0) return script;
      const [name] = random.pick(random.chance(0.1) ? all : texts);
      const chain = random.pick<string | string[]>(['lower', 'upper', 'trim', 'slug', ['trim', 'lower']]);
      const changed = withItem(script, {}, { same: { [name]: chain } });
      const hole = `{${[name, chain, random.chance(0.15) ? 'escape' : []].flat(2).join(':')}}`;
      return random.chance(0.85) ? inKeys(changed, new RegExp(`\\{${name}(?::\\w+)*\\}`, 'g'), hole) : changed;
    };
    const renamed = (script: ModelScript): ModelScript => {
      const need = script.patterns['read'] as {
        readonly by?: readonly string[];
        readonly among?: Record<string, number>;
      };
      const input = random.pick(need.by ?? ['h']);
      const list = need.among?.[input];
      return withNeed(script, {
        by: (need.by ?? []).map((name) => (name === input ? 'who' : name)),
        aka: { ...(need as { readonly aka?: object }).aka, who: input },
        ...(list !== undefined && { among: { who: list } }),
      });
    };
    const elsewhere = (script: ModelScript): ModelScript => {
      const { Other } = script.keys as Readonly<Record<string, { readonly Data?: unknown }>>;
      if (Other?.Data === undefined) return script;
      return {
        ...script,
        tables: { ...script.tables, More: { key: ['PK', 'SK'] } },
        keys: { ...script.keys, Other: { More: Other.Data } },
      };
    };
    const named = (script: ModelScript): ModelScript => ({
      ...script,
      storage: {
        Item: { stored: { h: 'hh', id: random.pick(['i', 'h', 'id2']) }, ...(random.chance(0.5) && { type: 'I' }) },
      },
    });
    const related = (script: ModelScript): ModelScript => {
      const h = itemAttributes(script)['h'];
      if (script.entities['Parent'] === undefined && h !== undefined)
        return related({
          ...script,
          entities: { ...script.entities, Parent: { attributes: { h, title: { type: 'text', optional: true } } } },
          keys: { ...script.keys, Parent: { Data: [`P${this.#separator}{h}`, 'PARENT'] } },
        });
      const copied = withItem(
        script,
        { title: { type: 'text', optional: true } },
        random.chance(0.5) ? { duplicates: { title: { from: 'Parent.title', rule: 'immutable' } } } : {},
      );
      return { ...copied, relationships: [['Parent', '1:N', 'Item', random.chance(0.5) ? { required: true } : {}]] };
    };
    const unique = (script: ModelScript): ModelScript => {
      const name = random.pick(
        Object.keys(itemAttributes(script)).filter((each) => ['id', 'v', 'n', 'o'].includes(each)),
      );
      const isGenerated = name === 'id' && random.chance(0.3);
      const within =
        itemAttributes(script)['h'] !== undefined && name !== undefined && !isGenerated && random.chance(0.5);
      const guard = [`G${this.#separator}{h}${this.#separator}{${name ?? ''}}`, 'G'];
      const changed = {
        ...withItem(script, {}, isGenerated ? { generated: [name] } : { unique: [name] }),
        ...(within && { storage: { Item: { unique: { [name]: { key: guard } } } } }),
      };
      if (kind !== 'one' || place === 'Data') return changed;
      const index = {
        Data: (script.keys['Item'] as Readonly<Record<string, unknown>>)['Data'],
        [place]: [`U${this.#separator}{${name}}`, 'U'],
      };
      return { ...withNeed(changed, { by: [name] }), keys: { ...script.keys, Item: index } };
    };
    const several = (script: ModelScript): ModelScript => {
      const item = script.entities['Item'];
      if (kind !== 'one' || place !== 'Data' || item === undefined) return script;
      const { Data } = script.keys['Item'] as Readonly<Record<string, unknown>>;
      const { h, id, s } = item.attributes;
      if (h === undefined || id === undefined) return script;
      const accepts = { accepts: { 'key-collision': 'one or the other' } };
      return {
        ...script,
        entities: { ...script.entities, Twin: { attributes: { h, id, ...(s !== undefined && { s }) } } },
        patterns: { read: { ...script.patterns['read'], reads: { item: 'Item', twin: 'Twin' } } },
        keys: { ...script.keys, Twin: { Data } },
        storage: { Item: accepts, Twin: accepts },
      };
    };
    const copies = (script: ModelScript): ModelScript => {
      if (kind !== 'one' || place !== 'Data') return script;
      const { Data, ...more } = script.keys['Item'] as Readonly<Record<string, unknown>>;
      const [partition = '', ...sort] = firstForm(Data);
      const keys = { Data: [`${partition}${this.#separator}{copy}`, ...sort], ...more };
      return { ...withItem(script, {}, { copies: random.between(2, 3) }), keys: { ...script.keys, Item: keys } };
    };
    const typed = (script: ModelScript): ModelScript => {
      const { Data, ...more } = script.keys['Item'] as Readonly<Record<string, unknown>>;
      const { id } = itemAttributes(script);
      const [partition = ''] = firstForm(Data);
      const type = id?.type === 'int' ? 'N' : random.chance(0.5) ? 'B' : undefined;
      if (type === undefined || Object.keys(script.entities).length > 1 || !partition.includes('{h')) return script;
      const changed = { ...script, keys: { ...script.keys, Item: { Data: [partition, '{id}'], ...more } } };
      const drawn = type === 'B' ? withItem(changed, { id: { type: 'bytes' } }) : changed;
      return inTable(drawn, 'Data', { key: ['PK', `SK:${type}`] });
    };
    const tenant = (script: ModelScript): ModelScript => {
      if (script.entities['Other'] !== undefined) return script;
      const led = inKeys(script, /"(?:[^"{]*)\{h(?::\w+)?\}/g, `"T${this.#separator}{h}${this.#separator}`);
      return inTable(inKeys(led, new RegExp(`${this.#separator}(${this.#separator}|")`, 'g'), '$1'), 'Data', {
        tenant: 'h',
      });
    };
    // Key attributes that are the application's own, so that an index of keys alone has what is read.
    const own = (script: ModelScript): ModelScript => {
      const { h, id } = itemAttributes(script);
      const data = script.tables['Data'] as { readonly indexes?: { readonly Index?: object } };
      const { Index } = data.indexes ?? {};
      if (Index === undefined || h === undefined || id === undefined || Object.keys(script.entities).length > 1)
        return script;
      const names = Array.isArray(Index) ? { partition: Index.slice(0, 1), sort: Index.slice(1) } : Index;
      const key = [h.type === 'int' ? 'h:N' : 'h', id.type === 'int' ? 'id:N' : 'id'];
      const index = { Index: { ...names, project: 'KEYS_ONLY' } };
      const { Data: _, ...more } = script.keys['Item'] as Readonly<Record<string, unknown>>;
      const table = inTable(script, 'Data', { key, type: false, indexes: { ...data.indexes, ...index } });
      const keys = { Item: { Data: ['{h}', '{id}'], ...more } };
      return { ...withNeed(table, { attributes: ['h', 'id'] }), keys };
    };
    const through = (script: ModelScript): ModelScript => {
      const { h } = itemAttributes(script);
      if (h === undefined) return script;
      const [from, to] = random.pick([
        [script.entities['Parent'] === undefined ? 'Side' : 'Parent', 'Side'],
        ['Side', 'Side'],
      ]);
      const rules = { through: 'Item', ...(random.chance(0.5) && { required: true }) };
      return {
        ...script,
        entities: { ...script.entities, Side: { attributes: { h, title: { type: 'text', optional: true } } } },
        relationships: [...(script.relationships ?? []), [from, 'N:M', to, rules]],
        keys: { ...script.keys, Side: { Data: [`SIDE${this.#separator}{h}`, 'SIDE'] } },
      };
    };
    const epoch = (script: ModelScript): ModelScript => {
      const encoder = random.pick(['epoch:utc', 'epoch:seconds', 'epoch:day', 'epoch:inverseTime', 'epoch']);
      const changed = withItem(script, { n: { type: 'int', min: 0, max: 4_000_000_000 } });
      return inKeys(changed, /\{n(?::\w+)?\}/g, `{n:${encoder}}`);
    };
    // An index of what every item has, or seems to have.
    const inverted = (script: ModelScript): ModelScript => {
      const [partition = '', sort = ''] = firstForm((script.keys['Item'] as Readonly<Record<string, unknown>>)['Data']);
      const state = itemAttributes(script)['s']?.values;
      if (kind !== 'many' || !partition.includes('{h') || !sort.includes('{id')) return script;
      const isSparse = state !== undefined && random.chance(0.5);
      const where = isSparse ? { s: random.pick(state) } : undefined;
      const key = [sort, random.chance(0.8) ? partition : `X${partition}`];
      return {
        ...inTable(script, 'Data', { indexes: { Index: ['SK', 'PK'] } }),
        patterns: { read: { reads: ['Item'], by: ['id'], ...(isSparse && { where }) } },
        keys: {
          ...script.keys,
          Item: { Data: [partition, sort], Index: isSparse ? { when: where, key } : key },
          ...(script.keys['Other'] && { Other: withoutIndexes(script.keys['Other']) }),
        },
        served: { read: { query: 'Index' } },
      };
    };
    const ownIndex = (script: ModelScript): ModelScript => {
      const { h, id, s } = itemAttributes(script);
      if (kind !== 'many' || h?.type === 'int' || id?.type === 'int') return script;
      const isSparse = s?.values !== undefined && random.chance(0.5);
      const where = isSparse ? { s: random.pick(s.values ?? []) } : undefined;
      const { Data } = script.keys['Item'] as Readonly<Record<string, unknown>>;
      const other = script.keys['Other'] && { Other: withoutIndexes(script.keys['Other']) };
      return {
        ...inTable(script, 'Data', { indexes: { Index: ['h', 'id'] } }),
        patterns: { read: { reads: ['Item'], by: ['h'], ...(isSparse && { where }) } },
        keys: {
          ...script.keys,
          Item: { Data, Index: isSparse ? { when: where, key: ['{h}', '{id}'] } : ['{h}', '{id}'] },
          ...other,
        },
        served: { read: { query: 'Index' } },
      };
    };
    const twoPlaces = (script: ModelScript): ModelScript => {
      const data = script.tables['Data'] as { readonly indexes?: Readonly<Record<string, unknown>> };
      const { Index, ...item } = script.keys['Item'] as Readonly<Record<string, unknown>>;
      const names = data.indexes?.['Index'];
      if (kind !== 'many' || place !== 'Index' || !Array.isArray(names) || names.length !== 2) return script;
      const key = firstForm(Index).map((each, i) => (i === 0 && random.chance(0.5) ? `Y${this.#separator}{h}` : each));
      return {
        ...inTable(script, 'Data', { indexes: { ...data.indexes, Shared: [names[0], 'Shared2'] } }),
        keys: { ...script.keys, Item: { ...item, Index, Shared: key } },
      };
    };
    const expiring = (script: ModelScript): ModelScript => {
      const until: AttributeScript = { type: 'int' };
      const { Parent, Item } = script.entities;
      if (Parent !== undefined && Item !== undefined && random.chance(0.5))
        return {
          ...script,
          entities: {
            ...script.entities,
            Item: { attributes: { ...Item.attributes, until }, rules: without(Item.rules ?? {}, 'expires') },
            Parent: { attributes: { ...Parent.attributes, until }, rules: { ...Parent.rules, expires: 'until' } },
          },
        };
      const h = Item?.attributes['h'] ?? { type: 'text' };
      const First = { attributes: { h, ends: { type: 'int' } as const }, rules: { expires: 'ends' } };
      const changed = withItem(script, { until }, { expires: 'until' });
      return {
        ...changed,
        entities: { First, ...changed.entities },
        keys: { ...script.keys, First: { Data: [`FIRST${this.#separator}{h}`, 'FIRST'] } },
      };
    };
    const sparseScan = (script: ModelScript): ModelScript => {
      const { s, o } = itemAttributes(script);
      const { Data, Index } = script.keys['Item'] as Readonly<Record<string, unknown>>;
      if (kind !== 'scan' || place !== 'Index' || (s?.values === undefined && o === undefined)) return script;
      const [partition = ''] = firstForm(Index);
      const sparse =
        s?.values === undefined || random.chance(0.5)
          ? [partition, o === undefined ? '{id}' : `{o}${this.#separator}{id}`]
          : { when: { s: random.pick(s.values) }, key: [partition, '{id}'] };
      return { ...script, keys: { ...script.keys, Item: { Data, Index: sparse } } };
    };
    const typedGuard = (script: ModelScript): ModelScript => {
      const { h, id } = itemAttributes(script);
      if (kind !== 'scan' || place !== 'Data' || h === undefined || id === undefined) return script;
      const guard = [`G${this.#separator}{id}`, 'G'];
      return {
        ...withItem(script, {}, { unique: ['id'] }),
        entities: {
          ...withItem(script, {}, { unique: ['id'] }).entities,
          Other: { attributes: { id, title: { type: 'text', optional: true } } },
        },
        patterns: { read: { reads: ['Other'] } },
        keys: { ...script.keys, Other: { Data: [`OTHER${this.#separator}{id}`, 'OTHER'] } },
        storage: { Item: { unique: { id: { key: guard, type: random.pick(['Other', 'Guard']) } } } },
        served: { read: { scan: 'Data', because: 'a random model' } },
      };
    };
    const copiesInList = (script: ModelScript): ModelScript => {
      const { Data, ...more } = script.keys['Item'] as Readonly<Record<string, unknown>>;
      const [partition = '', ...sort] = firstForm(Data);
      if (kind === 'one' || kind === 'each' || sort.length !== 1) return script;
      const keys = { Data: [partition, `${sort[0] ?? ''}${this.#separator}{copy}`], ...more };
      return { ...withItem(script, {}, { copies: random.between(2, 3) }), keys: { ...script.keys, Item: keys } };
    };
    const windowed = (script: ModelScript): ModelScript =>
      ['date', 'datetime'].includes(itemAttributes(script)['t']?.type ?? '')
        ? withNeed(script, { window: { of: 't', from: '2024-02-29', to: '2290-01-01' } })
        : script;
    // Most models are about something else, as many of these are refused.
    const placed = [
      inverted,
      ownIndex,
      ownIndex,
      twoPlaces,
      expiring,
      sparseScan,
      sparseScan,
      sparseScan,
      typedGuard,
      typedGuard,
      typedGuard,
      copiesInList,
      windowed,
    ];
    return [
      ...(random.chance(0.3) ? placed : []),
      codecs,
      codecs,
      same,
      same,
      renamed,
      elsewhere,
      named,
      related,
      related,
      unique,
      unique,
      several,
      several,
      copies,
      typed,
      typed,
      own,
      own,
      epoch,
      through,
      (script) => withNeed(script, { unproven: 'a random model' }),
      (script) => ({
        ...script,
        procedures: {
          look: { takes: ['read'], ...(random.chance(0.5) && { scans: { Data: 'all of it is read' } }) },
        },
      }),
      (script) => (place === 'Index' ? script : withNeed(script, { consistent: true })),
      tenant,
      (script) => (Object.keys(script.entities).length > 1 ? script : inTable(script, 'Data', { type: false })),
      (script) => inTable(script, 'Data', { type: 'kind', stream: 'NEW_AND_OLD_IMAGES' }),
      (script) => inKeys(script, /\{id(?::\w+)?\}"/g, '{id:rest}"'),
      (script) => ({
        ...script,
        entities: { ...script.entities, Single: { attributes: { title: { type: 'text', optional: true } } } },
        keys: { ...script.keys, Single: { Data: ['SINGLE', 'SINGLE'] } },
        ...(kind === 'one' && place === 'Data' && random.chance(0.5) && { patterns: { read: { reads: 'Single' } } }),
      }),
    ];
  }

  /** Up to two changes that the rest of the model does not account for. */
  #edited(script: ModelScript): ModelScript {
    const random = this.#random;
    let edited = script;
    const count = random.pick([0, 0, 0, 0, 1, 1, 2]);
    for (let i = 0; i < count; i += 1) edited = random.pick(this.#edits())(edited);
    return edited;
  }

  #edits(): ((script: ModelScript) => ModelScript)[] {
    const random = this.#random;
    const inKeys = (change: (text: string) => string) => (script: ModelScript) => ({
      ...script,
      keys: JSON.parse(change(JSON.stringify(script.keys))) as ModelScript['keys'],
    });
    const inNeed =
      (change: (need: Record<string, unknown>, script: ModelScript) => object) => (script: ModelScript) => ({
        ...script,
        patterns: { read: change({ ...script.patterns['read'] }, script) },
      });
    const inSchemas = (change: (attribute: AttributeScript) => AttributeScript) => (script: ModelScript) => {
      const name = random.pick(Object.keys(script.entities['Item']?.attributes ?? {}));
      const item = script.entities['Item'];
      const attribute = item?.attributes[name];
      if (item === undefined || attribute === undefined) return script;
      const attributes = { ...item.attributes, [name]: change(attribute) };
      return { ...script, entities: { ...script.entities, Item: { ...item, attributes } } };
    };
    return [
      inKeys((text) => text.replace(new RegExp(`[${this.#separator}]\\{[sntvo][^}]*\\}`), '')),
      inKeys((text) => text.replace(/\{(\w+):\w+\}/, `{$1:${random.pick(anyEncoders)}}`)),
      inKeys((text) => text.replace(/\{(\w+):\w+\}/, '{$1}')),
      inKeys((text) => text.replace(/\{([tvns])\}/, `{$1:${random.pick(anyEncoders)}}`)),
      inNeed((need, { entities }) => {
        const extra = random.pick(
          Object.keys(entities['Item']?.attributes ?? {}).filter(
            (name) => !['tags', 'doc', need['range']].includes(name),
          ),
        );
        return { ...need, by: [...new Set([...((need['by'] as string[] | undefined) ?? []), extra])] };
      }),
      inNeed(({ order, ...need }) =>
        order === undefined
          ? need
          : { ...need, order: orderOf({ order }).replace(/ \w+$/, ` ${random.pick(['asc', 'desc'])}`) },
      ),
      inNeed((need, { entities }) => ({
        ...need,
        filters: [
          random.pick(
            Object.keys(entities['Item']?.attributes ?? {})
              .filter((name) => ['s', 'v', 'n', 'o', 'id'].includes(name) && name !== need['range'])
              .concat('h'),
          ),
        ],
      })),
      inSchemas((attribute) => without(attribute, 'max')),
      inSchemas((attribute) => without(attribute, 'precision')),
      inSchemas((attribute) => without(attribute, 'min')),
      inSchemas((attribute) => ({ ...attribute, optional: true })),
      inSchemas((attribute) => without(attribute, 'optional')),
    ];
  }
}

const anyEncoders = [
  'lower',
  'upper',
  'trim',
  'slug',
  'escape',
  'utc',
  'seconds',
  'inverseTime',
  'second',
  'hour',
  'day',
  'week',
  'month',
  'year',
  'date',
  '03',
  '05',
  'inverse4',
  'tens4',
  'bare',
  'ksuid:day',
  'ulid:second',
  'shard4',
  'rest',
  'epoch:day',
];

function suitedEncoders(attribute: AttributeScript | undefined, sorted: boolean): string[] {
  if (attribute === undefined) return [];
  const { type, max } = attribute;
  if (type === 'int' && max !== undefined) {
    const width = String(max).length;
    return [`0${width}`, `0${width}`, `0${width + 1}`, `inverse${width}`, ...(sorted ? [] : ['05'])];
  }
  if (type === 'int' || type === 'literals') return sorted ? ['06', '03'] : [];
  if (type === 'date') return ['date', 'day', 'hour'];
  if (type === 'datetime') return ['utc', 'seconds', 'utc', 'inverseTime', 'second'];
  if (type === 'ksuid' && sorted) return ['ksuid:second'];
  if (type === 'text' && !sorted) return attribute.lower === true ? ['lower', 'escape'] : ['escape'];
  return [];
}

/** The key of an entity in its table alone. */
function withoutIndexes(keys: object): object {
  return Object.fromEntries(Object.entries(keys).slice(0, 1));
}

/** The templates of a key, or of its first form if it has several. */
function firstForm(key: unknown): string[] {
  if (Array.isArray(key)) return key.every((each) => typeof each === 'string') ? key : firstForm(key[0]);
  return typeof key === 'object' && key !== null ? firstForm((key as { readonly key: unknown }).key) : [];
}

/** Names for the attributes of an index with such a key. */
function attributeNames(key: unknown): string[] {
  const templates = firstForm(key);
  return templates.map((template, i) => (/^\{n\}$/.test(template) && i > 0 ? 'IndexN:N' : `Index${i + 1}`));
}

function takesOf(need: Record<string, unknown>, attributes: Attributes): Record<string, AttributeScript> | undefined {
  const [name] =
    Object.entries((need['where'] ?? {}) as Record<string, unknown>).find(([, test]) =>
      JSON.stringify(test).includes('"ref"'),
    ) ?? [];
  if (name === undefined) return undefined;
  const { optional: _, default: __, nullable: ___, ...schema } = attributes[name] ?? { type: 'text' as const };
  return { given: schema };
}

function orderOf({ order }: Readonly<Record<string, unknown>>): string {
  return typeof order === 'string' ? order : '';
}

function without<T extends object>(given: T, detail: string): T {
  return Object.fromEntries(Object.entries(given).filter(([name]) => name !== detail)) as T;
}
