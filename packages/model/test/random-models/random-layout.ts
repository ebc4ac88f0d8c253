import { z } from 'zod';
import type { Model } from '../../src/model.ts';
import type { RandomSource } from '../../src/prove/random-source.ts';

/** Names next to each other: different tables whose identifiers would be the same, and attributes that are no identifiers. */
const tableNames = [
  'orders',
  'Orders',
  'or-ders',
  'my.orders',
  'my_orders',
  'my-orders',
  'MyOrders',
  '2024',
  'a.1',
  'T-1',
];
const attributeNames = [
  'PK',
  'SK',
  'pk',
  'at',
  'order-id',
  'order_id',
  'orderId',
  'a.b',
  'x#y',
  '1st',
  'Type',
  'type',
  'é',
];
const indexNames = ['GSI1', 'by-state', 'by.state', 'by_state', 'All', 'Keys', 'Local', 'Other'];
const views = ['NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES', 'KEYS_ONLY'] as const;

/**
 * A model of tables with keys of every type, indexes with every projection, streams and times to live. Each table has one entity, whose
 * attributes are those of the keys, and a few more.
 */
export function randomLayout(random: RandomSource): Model {
  const names = random.some(tableNames, random.between(1, 3)).map((name) => (name.length < 3 ? `${name}-t` : name));
  const parts = names.map((name, at) => tableOf(random, name, `Entity${at}`));
  return {
    name: 'layouts',
    entities: Object.fromEntries(parts.map(({ entity, declaration }) => [entity, declaration])),
    relationships: [],
    patterns: {},
    tables: Object.fromEntries(parts.map(({ name, layout }) => [name, layout])),
    keys: Object.fromEntries(parts.map(({ entity, keys }) => [entity, keys])),
    storage: Object.fromEntries(parts.map(({ entity, stored }) => [entity, { stored }])),
    served: {},
  } as unknown as Model;
}

interface TablePart {
  readonly name: string;
  readonly entity: string;
  readonly declaration: object;
  readonly layout: object;
  readonly keys: object;
  readonly stored: Readonly<Record<string, string>>;
}

function tableOf(random: RandomSource, name: string, entity: string): TablePart {
  const attributes = random.some(attributeNames, random.between(5, 9)).map((stored, at) => ({
    stored,
    name: `a${at}`,
    type: random.pick(['S', 'S', 'S', 'N', 'B'] as const),
  }));
  const typed = ({ stored, type }: (typeof attributes)[number]): string =>
    type === 'S' ? stored : `${stored}:${type}`;
  const template = ({ name: attribute }: (typeof attributes)[number]): string => `{${attribute}}`;
  const primary = attributes.slice(0, random.between(1, 2));
  const indexes: Record<string, object> = {};
  const keys: Record<string, object> = { [name]: primary.map(template) };
  for (const index of random.some(indexNames, random.between(0, 4))) {
    const others = attributes.slice(primary.length);
    const project = random.pick<object>([
      {},
      {},
      { project: 'KEYS_ONLY' },
      { project: ['extra', ...random.some(['other', 'third'], 1)] },
      { project: [others[0]?.stored ?? 'extra'] },
    ]);
    if (primary.length === 2 && random.chance(0.3)) {
      const local = random.pick(others);
      indexes[index] = { local: typed(local), ...project };
      keys[index] = [template(local)];
      continue;
    }
    const chosen = random.some(attributes, random.between(1, random.chance(0.3) ? 5 : 2));
    const count = Math.min(chosen.length, random.chance(0.7) ? 1 : random.between(1, 3));
    const [partition, sort] = [chosen.slice(0, count), chosen.slice(count)];
    const isShort = partition.length === 1 && sort.length < 2 && Object.keys(project).length === 0;
    indexes[index] = isShort
      ? chosen.map(typed)
      : { partition: partition.map(typed), ...(sort.length > 0 && { sort: sort.map(typed) }), ...project };
    keys[index] = chosen.map(template);
  }
  const expires = random.chance(0.4);
  const schemas = { S: z.string(), N: z.number(), B: z.instanceof(Uint8Array) };
  return {
    name,
    entity,
    declaration: {
      attributes: {
        ...Object.fromEntries(attributes.map((each) => [each.name, schemas[each.type]])),
        extra: z.string().optional(),
        other: z.number().optional(),
        third: z.string().optional(),
        ...(expires && { until: z.int().optional() }),
      },
      rules: expires ? { expires: 'until' } : {},
    },
    layout: {
      key: primary.map(typed),
      ...(Object.keys(indexes).length > 0 && { indexes }),
      type: random.pick<unknown>([
        false,
        'kind',
        ...(attributes.some(({ stored }) => stored === 'Type') ? [] : ['Type']),
      ]),
      ...(random.chance(0.4) && { stream: random.pick(views) }),
    },
    keys,
    stored: {
      ...Object.fromEntries(attributes.map((each) => [each.name, each.stored])),
      ...(expires && random.chance(0.5) && { until: random.pick(['ttl', 'expires-at']) }),
    },
  };
}
