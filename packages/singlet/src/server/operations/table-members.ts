import type {
  AttributeDefinition,
  BillingMode,
  GlobalSecondaryIndexInput,
  KeySchemaElement,
  LocalSecondaryIndexInput,
  OnDemandThroughput,
  OnDemandThroughputOverride,
  Projection,
  ProvisionedThroughput,
  ProvisionedThroughputOverride,
  ServerSideEncryptionSpecification,
  StreamSpecification,
  TableClass,
  Tag,
  WarmThroughput,
} from '../../engine/index.ts';
import { lengthAtLeast, lengthAtMost, plain, valueAtLeast } from '../shapes/constraint.ts';
import {
  boolean,
  enumeration,
  enumerationWith,
  list,
  listOfStrings,
  long,
  required,
  type RequiredMember,
  type Shape,
  string,
  structure,
} from '../shapes/shape.ts';
import { nameParameter } from './request-parameters.ts';

/** Parts of a table's definition that several actions take or answer with. */

const keyAttributeName: RequiredMember<string> = required(string(lengthAtLeast(1), lengthAtMost(255)));

export const attributeDefinitions: Shape<readonly AttributeDefinition[]> = list(
  structure<AttributeDefinition>('AttributeDefinition', {
    attributeName: keyAttributeName,
    attributeType: required(enumeration(['B', 'N', 'S'])),
  }),
);

const keySchemaElement: Shape<KeySchemaElement> = structure<KeySchemaElement>('KeySchemaElement', {
  attributeName: keyAttributeName,
  keyType: required(enumeration(['HASH', 'RANGE'])),
});

export const keySchema: Shape<readonly KeySchemaElement[]> = list(keySchemaElement, lengthAtLeast(1), lengthAtMost(2));

/** A global index may have up to four attributes of either kind; their number is checked together with their kinds. */
export const globalIndexKeySchema: Shape<readonly KeySchemaElement[]> = list(keySchemaElement, lengthAtLeast(1));

export const projection: Shape<Projection> = structure<Projection>('Projection', {
  projectionType: enumeration(['ALL', 'INCLUDE', 'KEYS_ONLY']),
  nonKeyAttributes: listOfStrings([lengthAtMost(255), lengthAtLeast(1)], lengthAtLeast(1), lengthAtMost(20)),
});

export const provisionedThroughput: Shape<ProvisionedThroughput> = structure<ProvisionedThroughput>(
  'ProvisionedThroughput',
  {
    writeCapacityUnits: required(long(valueAtLeast(1))),
    readCapacityUnits: required(long(valueAtLeast(1))),
  },
);

export const onDemandThroughput: Shape<OnDemandThroughput> = structure<OnDemandThroughput>('OnDemandThroughput', {
  maxReadRequestUnits: long(),
  maxWriteRequestUnits: long(),
});

export const provisionedThroughputOverride: Shape<ProvisionedThroughputOverride> =
  structure<ProvisionedThroughputOverride>('ProvisionedThroughputOverride', {
    readCapacityUnits: long(valueAtLeast(1)),
  });

export const onDemandThroughputOverride: Shape<OnDemandThroughputOverride> = structure<OnDemandThroughputOverride>(
  'OnDemandThroughputOverride',
  { maxReadRequestUnits: long() },
);

export const warmThroughput: Shape<WarmThroughput> = structure<WarmThroughput>('WarmThroughput', {
  readUnitsPerSecond: long(valueAtLeast(1)),
  writeUnitsPerSecond: long(valueAtLeast(1)),
});

export const streamSpecification: Shape<StreamSpecification> = structure<StreamSpecification>('StreamSpecification', {
  streamEnabled: required(boolean),
  streamViewType: enumeration(['NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES', 'KEYS_ONLY']),
});

export const sseSpecification: Shape<ServerSideEncryptionSpecification> = structure<ServerSideEncryptionSpecification>(
  'SSESpecification',
  {
    enabled: boolean,
    sseType: enumeration(['AES256', 'KMS']),
    kmsMasterKeyId: string(),
  },
);

export const globalTableSettingsReplicationMode: Shape<'ENABLED' | 'DISABLED' | 'ENABLED_WITH_OVERRIDES'> = enumeration(
  ['ENABLED', 'DISABLED', 'ENABLED_WITH_OVERRIDES'],
);

export const billingMode: Shape<BillingMode> = enumeration(['PROVISIONED', 'PAY_PER_REQUEST']);

const tableClasses = ['STANDARD', 'STANDARD_INFREQUENT_ACCESS'] as const;

export const tableClass: Shape<TableClass> = enumeration(tableClasses);

/** Of a table, not of a replica. Assumed: the text is reported alone, before other problems. */
export const tableClassParameter: Shape<TableClass> = enumerationWith(tableClasses, (constraint) =>
  plain(
    constraint,
    `Invalid table-class parameter provided. Please try again with a valid table-class value: [${tableClasses.join(', ')}].`,
  ),
);

export const tags: Shape<readonly Tag[]> = list(
  structure<Tag>('Tag', {
    key: required(string(lengthAtLeast(1), lengthAtMost(128))),
    value: required(string(lengthAtLeast(0), lengthAtMost(256))),
  }),
);

export const localSecondaryIndex: Shape<LocalSecondaryIndexInput> = structure<LocalSecondaryIndexInput>(
  'LocalSecondaryIndex',
  {
    indexName: required(nameParameter),
    keySchema: required(keySchema),
    projection: required(projection),
  },
);

export const globalSecondaryIndex: Shape<GlobalSecondaryIndexInput> = structure<GlobalSecondaryIndexInput>(
  'GlobalSecondaryIndex',
  {
    indexName: required(nameParameter),
    keySchema: required(globalIndexKeySchema),
    projection: required(projection),
    provisionedThroughput,
    onDemandThroughput,
    warmThroughput,
  },
);
