import type { ConnectOptions } from '@singlet/model';
import { load } from '@singlet/model/samples';
import { supportDesk } from './model.ts';
import { type CustomerBundle, sampleDesk } from './sample-desk.ts';

export interface SeedOptions {
  readonly client: ConnectOptions['client'];
  readonly tableName: string;
  /** 1 is 20,000 customers with about 100,000 tickets and 500,000 messages. */
  readonly scale: number;
  /** Receives the number of items written since its last call. */
  readonly onItems?: (count: number) => void;
}

/** Fills a table with a desk after a year of work. Returns the number of items of each entity. */
export async function seedSupportDesk(options: SeedOptions): Promise<Readonly<Record<string, number>>> {
  const { client, tableName, scale, onItems } = options;
  const desk = sampleDesk(scale);
  const loading = { client, tables: { support: tableName }, ...(onItems !== undefined && { onItems }) };
  function* each<Item>(itemsOf: (bundle: CustomerBundle) => Iterable<Item>): Generator<Item> {
    for (let index = 0; index < desk.customerCount; index += 1) {
      yield* itemsOf(desk.bundle(index));
    }
  }
  return {
    Agent: await load(supportDesk, 'Agent', desk.agents, loading),
    Customer: await load(
      supportDesk,
      'Customer',
      each(({ customer }) => [customer]),
      loading,
    ),
    Ticket: await load(
      supportDesk,
      'Ticket',
      each(({ tickets }) => tickets),
      loading,
    ),
    Message: await load(
      supportDesk,
      'Message',
      each(({ messages }) => messages),
      loading,
    ),
    Assignment: await load(
      supportDesk,
      'Assignment',
      each(({ assignments }) => assignments),
      loading,
    ),
  };
}
