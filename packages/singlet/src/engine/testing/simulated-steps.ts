/**
 * The steps of random histories of a table: writes, the passing of time, background work, deaths. `simulation.test.ts` runs them over memory, and
 * `test/postgres-simulation.test.ts` over PostgreSQL (decision 0129).
 */
import fc from 'fast-check';
import type { AttributeMap } from '../../values/attribute-value.ts';
import { batchWriteItem } from '../operations/batch-write-item.ts';
import { deleteItem } from '../operations/delete-item.ts';
import { putItem } from '../operations/put-item.ts';
import { transactWriteItems } from '../operations/transact-write-items.ts';
import { updateItem } from '../operations/update-item.ts';
import { type Intent, keyOf, nameOf, simulatedTable as tableName, type SimulatedTable } from './simulated-table.ts';
import { testContext } from './test-services.ts';

interface Attributes {
  readonly g: string | undefined;
  readonly l: string | undefined;
  /** When the item expires, in seconds from now; or no time. */
  readonly expires: number | 'text' | 'ancient' | undefined;
  readonly dataBytes: number;
}

type Step =
  | { readonly kind: 'put'; readonly key: string; readonly attributes: Attributes; readonly ifAbsent: boolean }
  | { readonly kind: 'set'; readonly key: string; readonly dataBytes: number }
  | { readonly kind: 'delete'; readonly key: string }
  | { readonly kind: 'batch'; readonly puts: readonly KeyAndAttributes[]; readonly deleted: string }
  | { readonly kind: 'transact'; readonly puts: readonly KeyAndAttributes[]; readonly ifThere: string }
  | { readonly kind: 'race'; readonly key: string }
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'sweep' | 'expiry' | 'backup' | 'check' }
  | { readonly kind: 'index'; readonly isMade: boolean }
  | { readonly kind: 'restore'; readonly from: 'backup' | 'time'; readonly which: number }
  | { readonly kind: 'kill'; readonly afterPauses: number };

interface KeyAndAttributes {
  readonly key: string;
  readonly attributes: Attributes;
}

const key = fc
  .record({ pk: fc.constantFrom('a', 'b', 'c'), sk: fc.constantFrom('1', '2', '3', '4') })
  .map(({ pk, sk }) => nameOf({ pk: { S: pk }, sk: { S: sk } }));

const attributes: fc.Arbitrary<Attributes> = fc.record({
  g: fc.constantFrom('g', 'h', undefined),
  l: fc.constantFrom('l', 'm', undefined),
  expires: fc.constantFrom<Attributes['expires']>(-7200, -10, 2, 4, 10, 3600, 'text', 'ancient', undefined),
  dataBytes: fc.constantFrom(0, 50, 400, 700),
});

const puts = fc.uniqueArray(fc.record({ key, attributes }), {
  minLength: 2,
  maxLength: 3,
  selector: ({ key: name }) => name,
});

const writeStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('put'), key, attributes, ifAbsent: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('set'), key, dataBytes: fc.constantFrom(0, 300, 900) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete'), key }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('batch'), puts, deleted: key }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('transact'), puts, ifThere: key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('race'), key }) },
);

const otherStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait'), seconds: fc.constantFrom(1, 30, 4000) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('sweep', 'sweep', 'expiry', 'backup', 'check') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('index'), isMade: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('restore'),
      from: fc.constantFrom('backup', 'time'),
      which: fc.nat({ max: 1000 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill'), afterPauses: fc.nat({ max: 4 }) }) },
);

/** A step, and the process that takes it. */
export interface SimulatedStep {
  readonly process: number;
  readonly step: Step;
}

export const simulatedStep: fc.Arbitrary<SimulatedStep> = fc.record({
  process: fc.constantFrom(0, 1),
  step: fc.oneof({ weight: 3, arbitrary: writeStep }, { weight: 2, arbitrary: otherStep }),
});

/** Stream records are kept for a day, so a history that must replay as a whole is shorter than that. */
const historySecondsMax = 20 * 3600;

function itemOf(name: string, { g, l, expires, dataBytes }: Attributes, nowMs: number): AttributeMap {
  const nowSeconds = Math.floor(nowMs / 1000);
  return {
    ...keyOf(name),
    ...(g !== undefined && { g: { S: g } }),
    ...(l !== undefined && { l: { S: l } }),
    ...(expires === 'text' && { expires: { S: String(nowSeconds - 100) } }),
    ...(expires === 'ancient' && { expires: { N: String(nowSeconds - 6 * 365 * 86_400) } }),
    ...(typeof expires === 'number' && { expires: { N: String(nowSeconds + expires) } }),
    ...(dataBytes > 0 && { data: { S: 'x'.repeat(dataBytes) } }),
  };
}

function intentOf(table: SimulatedTable, of: Step): Intent | undefined {
  const one = { isAtomic: true, isAllowed: true };
  switch (of.kind) {
    case 'put': {
      const item = itemOf(of.key, of.attributes, table.nowMs);
      const conditionExpression = of.ifAbsent ? 'attribute_not_exists(pk)' : undefined;
      return {
        after: new Map([[of.key, item]]),
        isAtomic: true,
        isAllowed: !of.ifAbsent || table.itemOf(of.key) === undefined,
        perform: async (services) => putItem(services, { tableName, item, conditionExpression }, testContext),
      };
    }
    case 'set': {
      const data = { S: 'y'.repeat(of.dataBytes) };
      const request = {
        tableName,
        key: keyOf(of.key),
        updateExpression: 'SET #d = :d REMOVE g',
        expressionAttributeNames: { '#d': 'data' },
        expressionAttributeValues: { ':d': data },
      };
      const { g: _removed, ...before } = table.itemOf(of.key) ?? keyOf(of.key);
      return {
        ...one,
        after: new Map([[of.key, { ...before, data }]]),
        perform: async (services) => updateItem(services, request, testContext),
      };
    }
    case 'delete':
      return {
        ...one,
        after: new Map([[of.key, undefined]]),
        perform: async (services) => deleteItem(services, { tableName, key: keyOf(of.key) }, testContext),
      };
    case 'batch': {
      const items = of.puts.filter(({ key: name }) => name !== of.deleted);
      const after = new Map<string, AttributeMap | undefined>([[of.deleted, undefined]]);
      for (const put of items) after.set(put.key, itemOf(put.key, put.attributes, table.nowMs));
      const requests = Array.from(after, ([name, item]) =>
        item === undefined ? { deleteRequest: { key: keyOf(name) } } : { putRequest: { item } },
      );
      return {
        after,
        isAtomic: false,
        isAllowed: true,
        perform: (services) => batchWriteItem(services, { requestItems: { [tableName]: requests } }, testContext),
      };
    }
    case 'transact': {
      const items = of.puts.filter(({ key: name }) => name !== of.ifThere);
      const after = new Map(items.map((put) => [put.key, itemOf(put.key, put.attributes, table.nowMs)]));
      const transactItems = [
        ...Array.from(after.values(), (item) => ({ put: { tableName, item } })),
        {
          conditionCheck: { tableName, key: keyOf(of.ifThere), conditionExpression: 'attribute_exists(pk)' },
        },
      ];
      return {
        after,
        isAtomic: true,
        isAllowed: table.itemOf(of.ifThere) !== undefined,
        perform: async (services) => transactWriteItems(services, { transactItems }, testContext),
      };
    }
    default:
      return undefined;
  }
}

async function carryOut(table: SimulatedTable, processNumber: number, of: Step): Promise<void> {
  const intent = intentOf(table, of);
  if (intent !== undefined) return table.write(processNumber, intent);
  switch (of.kind) {
    case 'race': {
      const request = {
        tableName,
        key: keyOf(of.key),
        updateExpression: 'ADD #c :one',
        expressionAttributeNames: { '#c': 'count' },
        expressionAttributeValues: { ':one': { N: '1' } },
      };
      const add = async (services: Parameters<typeof updateItem>[0]): Promise<unknown> =>
        updateItem(services, request, testContext);
      return table.race(of.key, [add, add, add]);
    }
    case 'wait':
      return table.wait(processNumber, of.seconds * 1000);
    case 'sweep':
      return table.sweep(processNumber);
    case 'expiry':
      return table.switchExpiry(processNumber);
    case 'backup':
      return table.backUp(processNumber);
    case 'index':
      return table.switchIndex(processNumber, of.isMade);
    case 'restore':
      return table.restore(processNumber, of);
    case 'kill':
      return table.kill(processNumber, of.afterPauses);
    case 'check':
      return table.check();
    default:
      throw new Error(`${of.kind} is a write`);
  }
}

/**
 * Takes the steps one after the other, and checks everything at the end.
 *
 * @param answers - counts how each kind of step was answered.
 */
export async function playSteps(
  table: SimulatedTable,
  steps: readonly SimulatedStep[],
  answers: Map<string, number>,
): Promise<void> {
  let seconds = 0;
  for (const { process, step: of } of steps) {
    if (of.kind === 'wait' && (seconds += of.seconds) >= historySecondsMax) continue;
    await carryOut(table, process, of);
    const name = `${of.kind} ${table.lastAnswer}`;
    answers.set(name, (answers.get(name) ?? 0) + 1);
  }
  await table.check();
}
