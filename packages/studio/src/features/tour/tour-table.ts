import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';
import { call, type CallOptions } from '../../wire/client.ts';
import { tourItems, tourTableInput } from './tour-items.ts';
import { tourTable } from './tour-request.ts';

const batchItemsMax = 25;
/** How many times to check whether the table is ready: one minute in total. */
const asksMax = 120;
const askPauseMs = 500;

/** What creating the table writes: items, and the units of them and their index entries. Each is below 1 KB. */
export function tourWrites(): { readonly items: number; readonly units: number } {
  const entries = tourItems.flatMap((item) => ['PK', 'GSI1PK', 'GSI2PK'].filter((name) => item[name] !== undefined));
  return { items: tourItems.length, units: entries.length };
}

/** Creates the table of the tour with its items. @throws {ServiceError} */
export async function makeTourTable(options: CallOptions): Promise<void> {
  await call('CreateTable', tourTableInput, options);
  await waitUntilActive(options);
  for (let first = 0; first < tourItems.length; first += batchItemsMax)
    await writeAll(tourItems.slice(first, first + batchItemsMax), options);
}

export async function removeTourTable(options: CallOptions): Promise<void> {
  await call('DeleteTable', { TableName: tourTable }, options);
}

async function waitUntilActive(options: CallOptions): Promise<void> {
  for (let asked = 0; asked < asksMax; asked += 1) {
    const { Table } = await call<{ Table: { TableStatus?: string } }>(
      'DescribeTable',
      { TableName: tourTable },
      options,
    );
    if (Table.TableStatus === 'ACTIVE') return;
    await new Promise((resume) => setTimeout(resume, askPauseMs));
  }
}

interface BatchOutput {
  readonly UnprocessedItems?: Readonly<Record<string, readonly object[]>>;
}

async function writeAll(items: readonly AttributeMap[], options: CallOptions): Promise<void> {
  let left: readonly object[] = items.map((Item) => ({ PutRequest: { Item } }));
  for (let asked = 0; left.length > 0 && asked < asksMax; asked += 1) {
    const { UnprocessedItems = {} } = await call<BatchOutput>(
      'BatchWriteItem',
      { RequestItems: { [tourTable]: left } },
      options,
    );
    left = UnprocessedItems[tourTable] ?? [];
  }
}
