import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  DescribeTableCommand,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { createDatabase } from 'singlet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readLayouts } from '../../../singlet/src/templates/read-layouts.ts';
import { type Deployment, readDeployment } from '../../../singlet/src/templates/read-tables.ts';
import {
  type Draft,
  draftFromTables,
  draftFromWorkbench,
  draftModel,
  toCloudFormation,
  toWorkbench,
} from '../../src/bridges/index.ts';
import { documentation } from '../../src/docs/index.ts';
import type { Model } from '../../src/model.ts';
import { RandomSource } from '../../src/prove/random-source.ts';
import { resolve } from '../../src/resolve/resolve.ts';
import { slotsOf } from '../../src/resolve/slots.ts';
import { tableDefinitions, timeToLiveAttributes } from '../../src/resolve/table-definitions.ts';
import { modelOf as modelOfSnapshot, readSnapshot, snapshot, snapshotText } from '../../src/versions/index.ts';
import { fastClient } from './fast-client.ts';
import { modelOf } from './model-script.ts';
import { refusals } from './prove-script.ts';
import { randomLayout } from './random-layout.ts';
import { randomModel } from './random-model.ts';
import { randomWriteModel } from './random-write-model.ts';

/*
 * The tables of random models in the formats of other tools, and what is read from them: the same keys, indexes, projections, streams and
 * times to live.
 */

/** The number of drawn models, which are the same in each run. */
const drawn = Number(process.env['DRAWN_LAYOUTS'] ?? 15);
const from = Number(process.env['LAYOUTS_FROM'] ?? 0);

let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => {
  await database.close();
});

const context = { accountId: '000000000000', region: 'us-east-1', stackName: 'layouts', given: new Map() };

function models(): readonly (readonly [number, Model])[] {
  return Array.from({ length: drawn }, (_, at) => [from + at, randomLayout(new RandomSource(from + at))] as const);
}

/** What a table is made of, in an order of its own. */
interface Layout {
  readonly name: string;
  readonly key: unknown;
  readonly types: object;
  readonly indexes: object;
  readonly stream: string | undefined;
  readonly expires: string | undefined;
}

type Definition = Pick<
  CreateTableCommandInput & TableDescription,
  'TableName' | 'KeySchema' | 'AttributeDefinitions' | 'StreamSpecification'
> & { readonly GlobalSecondaryIndexes?: Indexes | undefined; readonly LocalSecondaryIndexes?: Indexes | undefined };
type Indexes = readonly {
  readonly IndexName?: string | undefined;
  readonly KeySchema?: readonly object[] | undefined;
  readonly Projection?:
    { readonly ProjectionType?: string | undefined; readonly NonKeyAttributes?: string[] | undefined } | undefined;
}[];

function layoutOf(table: Definition, expires?: string): Layout {
  const indexes = (kind: string, all: Indexes = []): (readonly [string, object])[] =>
    all.map(({ IndexName = '', KeySchema, Projection = {} }) => [
      IndexName,
      { kind, KeySchema, type: Projection.ProjectionType, names: (Projection.NonKeyAttributes ?? []).toSorted() },
    ]);
  const { StreamSpecification: stream } = table;
  return {
    name: table.TableName ?? '',
    key: table.KeySchema,
    types: Object.fromEntries(
      (table.AttributeDefinitions ?? []).map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType]),
    ),
    indexes: Object.fromEntries([
      ...indexes('global', table.GlobalSecondaryIndexes),
      ...indexes('local', table.LocalSecondaryIndexes),
    ]),
    stream: stream?.StreamEnabled === true ? stream.StreamViewType : undefined,
    expires,
  };
}

function sorted(layouts: readonly Layout[]): readonly Layout[] {
  return layouts.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function layoutsOf(model: Model): readonly Layout[] {
  const expires = timeToLiveAttributes(model);
  return sorted(tableDefinitions(model).map((each) => layoutOf(each as Definition, expires[each.TableName ?? ''])));
}

function deployed(tables: Deployment['tables']): readonly Layout[] {
  return sorted(tables.map(({ create, more }) => layoutOf(create as Definition, more?.timeToLive?.AttributeName)));
}

/** The layouts of a draft, which must be a model that can be resolved. */
function drafted(draft: Draft): readonly Layout[] {
  const model = draftModel(draft);
  expect(resolve(model).problems).toEqual([]);
  return layoutsOf(model);
}

describe(`the tables of ${drawn} random models`, () => {
  test('are those that the service describes, and a draft from its description has them', async () => {
    const client = fastClient(database);
    for (const [seed, model] of models()) {
      const expires = timeToLiveAttributes(model);
      const described: TableDescription[] = [];
      for (const definition of tableDefinitions(model)) {
        const { TableName } = definition;
        await client.send(new CreateTableCommand(definition));
        const { Table } = await client.send(new DescribeTableCommand({ TableName }));
        described.push(Table ?? {});
        await client.send(new DeleteTableCommand({ TableName }));
      }
      const expected = layoutsOf(model);
      const own = (name = ''): string | undefined => expires[name];
      expect(
        sorted(described.map((each) => layoutOf(each as Definition, own(each.TableName)))),
        `model ${seed}`,
      ).toEqual(expected);
      const tables = described.map((description) => {
        const attribute = own(description.TableName);
        return { description, ...(attribute !== undefined && { expires: attribute }) };
      });
      expect(drafted(draftFromTables('draft', tables)), `model ${seed}`).toEqual(expected);
    }
  });

  test('are in a template of CloudFormation, of global tables as well, and in a draft from it', async () => {
    for (const [seed, model] of models()) {
      const template = toCloudFormation(model);
      const expected = layoutsOf(model);
      for (const each of [template, asGlobalTables(template)]) {
        const text = JSON.stringify(each);
        expect(deployed((await readDeployment(text, context)).tables), `model ${seed}`).toEqual(expected);
        const tables = (await readLayouts(text, context)).map(({ create, more }) => {
          const attribute = more?.timeToLive?.AttributeName;
          return { description: create, ...(attribute !== undefined && { expires: attribute }) };
        });
        expect(drafted(draftFromTables('draft', tables)), `model ${seed}`).toEqual(expected);
      }
    }
  });

  test('are in a plan of Terraform, and in definitions of tables', async () => {
    for (const [seed, model] of models()) {
      const expected = layoutsOf(model);
      const text = JSON.stringify(tableDefinitions(model));
      expect(deployed((await readDeployment(text, context)).tables), `model ${seed}`).toEqual(
        expected.map((each) => ({ ...each, expires: undefined })),
      );
      if (expected.some(hasSeveralInKey)) continue;
      const plan = JSON.stringify(terraformPlan(model));
      expect(deployed((await readDeployment(plan, context)).tables), `model ${seed}`).toEqual(expected);
    }
  });

  test('are in a file of NoSQL Workbench, with sample items and without', () => {
    for (const [seed, model] of models())
      for (const items of [0, 5]) {
        const file = JSON.parse(JSON.stringify(toWorkbench(model, { now: 0, items }))) as unknown;
        expect(drafted(draftFromWorkbench(file)), `model ${seed}, ${items} items`).toEqual(
          layoutsOf(model).map(asWorkbench),
        );
      }
  });
});

type Properties = Readonly<Record<string, unknown>>;

test.each<[string, (properties: Properties) => object]>([
  [
    'an index',
    ({ GlobalSecondaryIndexes: all, ...rest }) => ({ ...rest, GlobalSecondaryIndexes: [all].flat().slice(1) }),
  ],
  ['a stream', (properties) => ({ ...properties, StreamSpecification: undefined })],
  ['the time to live', (properties) => ({ ...properties, TimeToLiveSpecification: undefined })],
  [
    'a projection',
    ({ GlobalSecondaryIndexes: all = [], ...rest }) => ({
      ...rest,
      GlobalSecondaryIndexes: (all as object[]).map((each) => ({ ...each, Projection: { ProjectionType: 'ALL' } })),
    }),
  ],
])('a template that loses %s is found', async (_, change) => {
  let found = 0;
  for (const [, model] of models()) {
    const { Resources, ...template } = toCloudFormation(model);
    const changed = Object.entries(Resources).map(([id, resource]) => {
      const { Properties: properties, ...rest } = resource as { readonly Properties: Properties };
      return [id, { ...rest, Properties: change(properties) }];
    });
    const text = JSON.stringify({ ...template, Resources: Object.fromEntries(changed) });
    const read = await readLayouts(text, context).catch(() => undefined);
    if (read === undefined || JSON.stringify(deployed(read)) !== JSON.stringify(layoutsOf(model))) found += 1;
  }
  expect(found).toBeGreaterThan(0);
});

test('a snapshot of a random model has its tables, and its pages name the templates of all keys', () => {
  let accepted = 0;
  for (const [seed, layout] of models()) {
    const random = new RandomSource(seed);
    const models = [layout, modelOf(seed % 2 === 0 ? randomModel(random) : randomWriteModel(random))];
    for (const model of models) {
      if (model !== layout && refusals(model).length > 0) continue;
      accepted += 1;
      const again = modelOfSnapshot(readSnapshot(snapshotText(snapshot(model))));
      expect(layoutsOf(again), `model ${seed}`).toEqual(layoutsOf(model));
      const { entities } = resolve(model);
      expect(keysOf(again), `model ${seed}`).toEqual(keysOf(model));
      const page = documentation(model, 'markdown').replaceAll('\\|', '|');
      for (const { key, indexes } of entities.values())
        for (const form of [key, ...indexes.flatMap(({ forms }) => forms)])
          for (const { template } of slotsOf(form))
            expect(page.includes(template.source), `model ${seed}: ${template.source}`).toBe(true);
    }
  }
  expect(accepted).toBeGreaterThan(drawn);
});

function keysOf(model: Model): readonly unknown[] {
  return [...resolve(model).entities.values()].flatMap(({ name, key, indexes, unique }) =>
    [key, ...indexes.flatMap(({ forms }) => forms), ...unique.map(({ form }) => form)].map((form) => [
      name,
      form.when,
      ...slotsOf(form).map(({ attribute, type, template }) => [attribute, type, template.source]),
    ]),
  );
}

/** CDK declares tables as global ones, with the replica of their own region. */
function asGlobalTables({ Resources, ...template }: ReturnType<typeof toCloudFormation>): object {
  return {
    ...template,
    Resources: Object.fromEntries(
      Object.entries(Resources).map(([id, resource]) => {
        const { Properties, ...rest } = resource as { readonly Properties: object };
        const { PointInTimeRecoverySpecification, ...properties } = Properties as {
          readonly PointInTimeRecoverySpecification?: object;
        };
        const replica = { Region: context.region, PointInTimeRecoverySpecification };
        return [
          id,
          { ...rest, Type: 'AWS::DynamoDB::GlobalTable', Properties: { ...properties, Replicas: [replica] } },
        ];
      }),
    ),
  };
}

/** What `terraform show -json` prints of a plan for the tables. */
function terraformPlan(model: Model): object {
  const expires = timeToLiveAttributes(model);
  const resources = tableDefinitions(model).map((table, at) => {
    const key = (schema: CreateTableCommandInput['KeySchema'], kind: string): string | null =>
      schema?.find(({ KeyType }) => KeyType === kind)?.AttributeName ?? null;
    const indexes = (all: CreateTableCommandInput['GlobalSecondaryIndexes'] = [], isGlobal = true): object[] =>
      all.map(({ IndexName, KeySchema, Projection }) => ({
        name: IndexName,
        ...(isGlobal && { hash_key: key(KeySchema, 'HASH') }),
        range_key: key(KeySchema, 'RANGE'),
        projection_type: Projection?.ProjectionType,
        non_key_attributes: Projection?.NonKeyAttributes ?? null,
      }));
    const attribute = expires[table.TableName ?? ''];
    return {
      address: `aws_dynamodb_table.table${at}`,
      mode: 'managed',
      type: 'aws_dynamodb_table',
      name: `table${at}`,
      values: {
        name: table.TableName,
        billing_mode: 'PAY_PER_REQUEST',
        hash_key: key(table.KeySchema, 'HASH'),
        range_key: key(table.KeySchema, 'RANGE'),
        attribute: table.AttributeDefinitions?.map(({ AttributeName, AttributeType }) => ({
          name: AttributeName,
          type: AttributeType,
        })),
        global_secondary_index: indexes(table.GlobalSecondaryIndexes),
        local_secondary_index: indexes(table.LocalSecondaryIndexes, false),
        stream_enabled: table.StreamSpecification?.StreamEnabled ?? null,
        stream_view_type: table.StreamSpecification?.StreamViewType ?? null,
        ttl: attribute === undefined ? [] : [{ attribute_name: attribute, enabled: true }],
      },
    };
  });
  return { format_version: '1.2', planned_values: { root_module: { resources } } };
}

interface LaidIndex {
  readonly kind: string;
  readonly KeySchema: readonly { readonly AttributeName: string; readonly KeyType: string }[];
}

/** An index of several attributes in one key, which older formats cannot express. */
function hasSeveralInKey({ indexes }: Layout): boolean {
  return Object.values(indexes).some((index) => !isPlain(index as LaidIndex));
}

function isPlain({ KeySchema }: LaidIndex): boolean {
  return ['HASH', 'RANGE'].every((kind) => KeySchema.filter(({ KeyType }) => KeyType === kind).length < 2);
}

/** NoSQL Workbench has no streams, no time to live, no local indexes, and one attribute for each part of a key. */
function asWorkbench(layout: Layout): Layout {
  const indexes = Object.entries(layout.indexes).filter(
    ([, index]) => (index as LaidIndex).kind === 'global' && isPlain(index as LaidIndex),
  ) as [string, LaidIndex][];
  const used = new Set(
    [layout.key as LaidIndex['KeySchema'], ...indexes.map(([, { KeySchema }]) => KeySchema)]
      .flat()
      .map(({ AttributeName }) => AttributeName),
  );
  return {
    ...layout,
    indexes: Object.fromEntries(indexes),
    types: Object.fromEntries(Object.entries(layout.types).filter(([name]) => used.has(name))),
    stream: undefined,
    expires: undefined,
  };
}
