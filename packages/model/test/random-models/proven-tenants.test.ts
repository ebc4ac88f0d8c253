import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { patternPolicy } from '../../src/check/index.ts';
import type { Model } from '../../src/model.ts';
import { RandomSource } from '../../src/prove/random-source.ts';
import { type ModelScript, modelOf } from './model-script.ts';
import { refusals } from './prove-script.ts';
import { comparePolicies } from './least-policies.ts';
import { randomModel } from './random-model.ts';
import { randomWriteModel } from './random-write-model.ts';
import { randomTenantModel } from './random-tenant-model.ts';
import { compareTenants, exportedPolicies, PolicedDatabase, type PolicyMakers } from './tenant-crossings.ts';

/** The number of drawn models, which are the same in each run. */
const drawn = Number(process.env['DRAWN_TENANT_MODELS'] ?? 10);
const drawnOfPolicies = Number(process.env['DRAWN_POLICY_MODELS'] ?? 10);
const from = Number(process.env['TENANT_MODELS_FROM'] ?? 0);

let database: PolicedDatabase;
beforeAll(async () => {
  database = await PolicedDatabase.open();
});
afterAll(async () => {
  await database.close();
});

test(`in ${drawn} random models no session of a tenant reaches the items of another`, async () => {
  const wrong: string[] = [];
  const sum = { accepted: 0, own: 0, foreign: 0 };
  for (let seed = from; seed < from + drawn; seed += 1) {
    const model = modelOf(randomTenantModel(new RandomSource(seed)));
    if (refusals(model).length > 0) continue;
    const compared = await compareTenants(model, database, seed);
    wrong.push(...compared.wrong.slice(0, 3).map((each) => `model ${seed}: ${each}`));
    sum.accepted += 1;
    sum.own += compared.own;
    sum.foreign += compared.foreign;
  }
  expect(wrong).toEqual([]);
  expect(sum.accepted).toBeGreaterThan(drawn / 8);
  expect(sum.own).toBeGreaterThan(sum.accepted * 5);
  expect(sum.foreign).toBeGreaterThan(sum.accepted * 20);
});

test(`in ${drawnOfPolicies} random models the least policy of a pattern allows it and those that it names, and no others`, async () => {
  const wrong: string[] = [];
  const sum = { accepted: 0, allowed: 0, denied: 0 };
  for (let seed = from; seed < from + drawnOfPolicies; seed += 1) {
    const random = new RandomSource(seed);
    const model = modelOf(seed % 4 === 0 ? randomModel(random) : randomWriteModel(random));
    // Policies of tenants are compared above, with the tags of their sessions.
    if (refusals(model).length > 0 || Object.values(model.tables).some(({ tenant }) => tenant !== undefined)) continue;
    const compared = await comparePolicies(model, database, seed);
    wrong.push(...compared.wrong.slice(0, 3).map((each) => `model ${seed}: ${each}`));
    sum.accepted += 1;
    sum.allowed += compared.allowed;
    sum.denied += compared.denied;
  }
  expect(wrong).toEqual([]);
  expect(sum.accepted).toBeGreaterThan(drawnOfPolicies / 8);
  expect(sum.allowed).toBeGreaterThan(sum.accepted * 10);
  expect(sum.denied).toBeGreaterThan(sum.accepted * 10);
});

test.each<[string, typeof patternPolicy, string]>([
  [
    'that names no other pattern',
    (model, names, options) => ({ ...patternPolicy(model, names, options), alsoAllowed: [], partlyAllowed: [] }),
    'allowed: ',
  ],
  [
    'that names all patterns',
    (model, names, options) => ({
      ...patternPolicy(model, names, options),
      alsoAllowed: Object.keys(model.patterns),
    }),
    'denied: ',
  ],
])('a policy %s is found', async (_, policyOf, what) => {
  const seed = Array.from({ length: 20 }, (__, at) => at).find(
    (at) => refusals(modelOf(randomWriteModel(new RandomSource(at)))).length === 0,
  );
  const model = modelOf(randomWriteModel(new RandomSource(seed ?? 0)));
  const { wrong } = await comparePolicies(model, database, seed ?? 0, policyOf);
  expect(wrong.some((each) => each.startsWith(what))).toBe(true);
});

const letters = { type: 'pattern', pattern: '^[a-c]{1,3}$' } as const;

/** Notes and plans of tenants, with an index. */
const notes: ModelScript = {
  entities: {
    Note: { attributes: { org: letters, id: letters, state: { type: 'enum', values: ['OPEN', 'DONE'] } } },
    Tag: { attributes: { org: letters, id: letters } },
  },
  patterns: {
    put: { puts: 'Note' },
    putTag: { puts: 'Tag' },
    note: { reads: 'Note', by: ['org', 'id'] },
    notes: { reads: ['Note'], by: ['org', 'state'] },
  },
  tables: { Data: { key: ['PK', 'SK'], indexes: { Index: ['Index1', 'Index2'] }, tenant: 'org' } },
  keys: {
    Note: { Data: ['T#{org}#{id}', 'NOTE'], Index: ['T#{org}#{state}', '{id}'] },
    Tag: { Data: ['T#{org}', 'TAG#{id}'] },
  },
  served: { put: 'PutItem', putTag: 'PutItem', note: 'GetItem', notes: { query: 'Index' } },
};

interface Statement {
  readonly Action: readonly string[];
  readonly Condition?: { readonly 'ForAllValues:StringLike': { readonly 'dynamodb:LeadingKeys': readonly string[] } };
}

/** The exported policies with other statements. */
function changed(change: (statement: Statement) => object): PolicyMakers {
  const withChange = (policy: object): object => {
    const { Statement, ...rest } = policy as { readonly Statement: readonly Statement[] };
    return { ...rest, Statement: Statement.map(change) };
  };
  return {
    all: (model, options) => withChange(exportedPolicies.all(model, options)),
    ofPattern: (model, pattern, options) => withChange(exportedPolicies.ofPattern(model, pattern, options)),
  };
}

function withLeads(change: (lead: string) => string): PolicyMakers {
  return changed((statement) => ({
    ...statement,
    Condition: {
      'ForAllValues:StringLike': {
        'dynamodb:LeadingKeys': statement.Condition?.['ForAllValues:StringLike']['dynamodb:LeadingKeys'].map(change),
      },
    },
  }));
}

describe('a wrong policy is found', () => {
  test.each([
    [
      'that does not compare the key',
      changed(({ Condition, ...rest }) => ({ ...rest, Condition: Condition && {} })),
      'is allowed',
    ],
    ['that compares the beginning of a tenant', withLeads((lead) => lead.replace(/\}.*$/, '}*')), 'is allowed'],
    ['that compares no tenant', withLeads((lead) => lead.replace(/\$\{[^}]*\}/, '*')), 'is allowed'],
    [
      'that allows a scan',
      changed(({ Action, ...rest }) => ({ ...rest, Action: [...Action, 'dynamodb:Scan'] })),
      'is allowed',
    ],
    ['without the keys of an entity', withLeads((lead) => (lead.endsWith('*') ? lead : 'T#')), 'is denied'],
    ['for another tag', withLeads((lead) => lead.replace('/org', '/team')), 'is denied'],
    [
      'without an action',
      changed(({ Action, ...rest }) => ({
        ...rest,
        Action: Action.map((action) => action.replace('GetItem', 'DescribeTable')),
      })),
      'is denied',
    ],
  ])('%s', async (_, policies, what) => {
    const model = modelOf(notes);
    expect(refusals(model)).toEqual([]);
    expect((await compareTenants(model, database, 1)).wrong).toEqual([]);
    const { wrong } = await compareTenants(model, database, 1, policies);
    expect(wrong.some((each) => each.includes(what))).toBe(true);
  });

  /** Policies for a model that `check` refuses: those of the model with other schemas, which it accepts. */
  const asIf = (accepted: Model): PolicyMakers => ({
    all: (_, options) => exportedPolicies.all(accepted, options),
    ofPattern: (_, pattern, options) => exportedPolicies.ofPattern(accepted, pattern, options),
  });

  test('for tenants of other values than those that it was made for', async () => {
    const fixed = { type: 'enum', values: ['aa', 'ab'] } as const;
    const others = { type: 'enum', values: ['aa', 'aab', 'b'] } as const;
    const withTenants = (note: object, tag: object): ModelScript => {
      const { Note, Tag } = notes.entities as Readonly<Record<'Note' | 'Tag', { readonly attributes: object }>>;
      return {
        ...notes,
        entities: {
          Note: { attributes: { ...Note.attributes, org: note } as never },
          Tag: { attributes: { ...Tag.attributes, org: tag } as never },
        },
        keys: { ...notes.keys, Note: { Data: ['T#{org}{id}', 'NOTE'], Index: ['T#{org}#{state}', '{id}'] } },
      };
    };
    const [accepted, refused] = [modelOf(withTenants(fixed, fixed)), modelOf(withTenants(fixed, others))];
    expect(refusals(accepted)).toEqual([]);
    expect(refusals(refused)).toEqual(['tenant-not-leading']);
    const { wrong } = await compareTenants(refused, database, 1, asIf(accepted));
    expect(wrong.some((each) => each.includes('is allowed'))).toBe(true);
  });
});
