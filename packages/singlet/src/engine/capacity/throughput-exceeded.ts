import { type CancellationReason, ThroughputExceededError, type ThrottlingReason } from '../../values/service-error.ts';
import type { SecondaryIndex, Table } from '../catalog/table.ts';
import type { ThroughputKind, ThroughputLimit } from './throughput-settings.ts';

/** A table or global index with too little throughput, and which of its limits were exceeded, the widest first. */
export interface ThroughputRefusal {
  readonly table: Table;
  readonly index: SecondaryIndex | undefined;
  readonly kind: ThroughputKind;
  readonly isProvisioned: boolean;
  readonly limits: readonly ThroughputLimit[];
}

const texts = {
  provisionedTable:
    'The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.',
  provisionedIndex:
    'The level of configured provisioned throughput for one or more global secondary indexes of the table was exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes with the UpdateTable API',
  onDemandTable:
    'Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly. If exceptions persist, check if you have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html',
  onDemandIndex:
    'Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB is automatically scaling your index so please try again shortly.',
  onDemandMaximum: 'Throughput exceeds the maximum OnDemandThroughput configured on table or index',
  // Assumed: the text is that of the API's description of the error.
  account:
    'Throughput exceeds the current throughput limit for your account. Please contact AWS Support at https://aws.amazon.com/support request a limit increase',
};

/** The error of a request that one or several tables or indexes refuse, with the text for the first of them. */
export function throughputExceeded(
  refusals: readonly [ThroughputRefusal, ...ThroughputRefusal[]],
): ThroughputExceededError {
  const [{ index, isProvisioned, limits }] = refusals;
  const reasons = refusals.flatMap(reasonsOf);
  if (isProvisioned) {
    const text = index === undefined ? texts.provisionedTable : texts.provisionedIndex;
    return new ThroughputExceededError('ProvisionedThroughputExceededException', text, reasons);
  }
  switch (limits[0]) {
    case 'AccountLimitExceeded':
      return new ThroughputExceededError('RequestLimitExceeded', texts.account, reasons);
    case 'MaxOnDemandThroughputExceeded':
      return new ThroughputExceededError('ThrottlingException', texts.onDemandMaximum, reasons);
    default:
      return new ThroughputExceededError(
        'ThrottlingException',
        index === undefined ? texts.onDemandTable : texts.onDemandIndex,
        reasons,
      );
  }
}

function reasonsOf({ table, index, kind, limits }: ThroughputRefusal): readonly ThrottlingReason[] {
  const resource = index === undefined ? table.arn : `${table.arn}/index/${index.indexName}`;
  return limits.map((limit) => ({ reason: `${index === undefined ? 'Table' : 'Index'}${kind}${limit}`, resource }));
}

/** The cancellation reason of a transaction that such an error cancels. */
export function throttledReason(error: ThroughputExceededError): CancellationReason {
  return {
    code: error.name === 'ProvisionedThroughputExceededException' ? 'ProvisionedThroughputExceeded' : 'ThrottlingError',
    message: error.message,
  };
}
