import { itemReader } from '@singlet/model';
import { type Consumer, type ConsumerOptions, createConsumer } from 'singlet/consumer';
import type { DealChanges, SiteItem } from './deal-changes.ts';
import { bigTimeDeals } from './model.ts';

type AllSettings = ConsumerOptions<SiteItem | undefined>;

type Settings = Omit<AllSettings, 'dynamodb' | 'streams' | 'tableName' | 'handler' | 'unmarshall'>;

export interface DealConsumerOptions extends Settings {
  readonly client: AllSettings['dynamodb'];
  readonly streams: AllSettings['streams'];
  readonly tableName: string;
  readonly changes: Pick<DealChanges, 'handle'>;
}

/** A worker that reads the table's stream and applies the effects of its changes. Several workers share the load. */
export function dealConsumer({ client, streams, tableName, changes, ...settings }: DealConsumerOptions): Consumer {
  return createConsumer<SiteItem | undefined>({
    ...settings,
    dynamodb: client,
    streams,
    tableName,
    unmarshall: itemReader(bigTimeDeals),
    handler: async (records) => changes.handle(records),
  });
}
