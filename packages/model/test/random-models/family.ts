import type { ModelScript } from './model-script.ts';
import { withServed } from './random-write-model.ts';

const name = { type: 'pattern', pattern: '^[a-z]{1,2}$' } as const;
const count = { type: 'int', default: 0 } as const;
const key = ['p', 'id'];

const reads = {
  parent: { reads: 'Parent', by: ['p'] },
  children: { reads: ['Child'], by: ['p', 's'] },
  child: { reads: 'Child', by: key },
};
const writes = {
  addParent: { creates: 'Parent' },
  create: { creates: 'Child' },
  setState: { updates: 'Child', by: key, sets: ['s'] },
  change: { updates: 'Child', by: key, maySet: ['m', 'email'] },
  raise: { updates: 'Child', by: key, changes: { n: { add: 1 } }, given: { n: { below: 9 } } },
  remove: { deletes: 'Child', by: key },
};

const base: ModelScript = {
  entities: {
    Parent: { attributes: { p: name, title: { type: 'text', optional: true }, children: count, total: count } },
    Child: {
      attributes: {
        p: name,
        id: name,
        s: { type: 'enum', values: ['OPEN', 'DONE'], default: 'OPEN' },
        n: { type: 'int', min: 0, max: 9, default: 0 },
        m: { type: 'int', min: 0, max: 9, optional: true },
        email: { ...name, optional: true },
      },
      rules: { unique: ['email'] },
    },
  },
  relationships: [['Parent', '1:N', 'Child', { count: 'children', sum: { total: 'n' } }]],
  patterns: writes,
  tables: { Data: { key: ['PK', 'SK'], indexes: { Index: ['Index1', 'Index2'] } } },
  keys: {
    Parent: { Data: ['P#{p}', 'PARENT'] },
    Child: { Data: ['P#{p}', 'C#{id}'], Index: ['P#{p}#{s}', '{id}'] },
  },
  served: {},
};
const served = withServed(base);

/** Parents and their children, with a count, a sum, a unique attribute, defaults, and an index whose keys depend on a default. */
export const family: ModelScript = {
  ...served,
  patterns: { ...reads, ...served.patterns },
  served: { parent: 'GetItem', children: { query: 'Index' }, child: 'GetItem', ...served.served },
};
