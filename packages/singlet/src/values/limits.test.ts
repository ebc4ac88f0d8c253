import { describe, expect, it } from 'vitest';
import { serviceLimits } from './limits.ts';

const kilobyte = 1024;
const megabyte = kilobyte * kilobyte;

describe('limits (DB-038, DB-112 to DB-124)', () => {
  it('DB-038: sizes are binary', () => {
    expect(serviceLimits.itemSizeBytesMax).toBe(409_600);
    expect(serviceLimits.itemCollectionBytesMax).toBe(10 * 1024 ** 3);
  });

  it.each([
    ['DB-036', 'nestingDepthMax', 32],
    ['DB-043', 'indexEntryOverheadBytes', 100],
    ['DB-052', 'partitionKeyBytesMax', 2048],
    ['DB-052', 'sortKeyBytesMax', 1024],
    ['DB-068', 'projectedAttributeCountMax', 100],
    ['DB-073', 'localIndexCountMax', 5],
    ['DB-073', 'globalIndexCountMax', 20],
    ['DB-076', 'globalIndexKeyAttributeCountMax', 4],
    ['DB-084', 'partitionReadCapacityUnitsMax', 3000],
    ['DB-084', 'partitionWriteCapacityUnitsMax', 1000],
    ['DB-095', 'readCapacityUnitBytes', 4096],
    ['DB-096', 'writeCapacityUnitBytes', 1024],
    ['DB-105', 'onDemandReadCapacityUnitsInitial', 12_000],
    ['DB-105', 'onDemandWriteCapacityUnitsInitial', 4000],
    ['DB-106', 'tableCapacityUnitsMax', 40_000],
    ['DB-106', 'accountCapacityUnitsMax', 80_000],
    ['DB-107', 'burstSecondsMax', 300],
    ['DB-112', 'tableNameLengthMin', 3],
    ['DB-112', 'tableNameLengthMax', 255],
    ['DB-113', 'attributeNameBytesMax', 65_535],
    ['DB-113', 'keyAttributeNameBytesMax', 255],
    ['DB-115', 'queryPageBytesMax', megabyte],
    ['DB-118', 'batchGetKeyCountMax', 100],
    ['DB-118', 'batchWriteCountMax', 25],
    ['DB-118', 'batchBytesMax', 16 * megabyte],
    ['DB-119', 'transactionActionCountMax', 100],
    ['DB-119', 'transactionBytesMax', 4 * megabyte],
    ['DB-120', 'expressionBytesMax', 4096],
    ['DB-120', 'placeholderBytesMax', 255],
    ['DB-120', 'expressionValuesBytesMax', 2 * megabyte],
    ['DB-120', 'expressionOperatorCountMax', 300],
    ['DB-120', 'inOperandCountMax', 100],
    ['DB-122', 'streamRetentionHours', 24],
    ['DB-122', 'streamRecordsCountMax', 1000],
    ['DB-122', 'streamRecordsBytesMax', megabyte],
    ['DB-123', 'tableCountMax', 2500],
    ['DB-123', 'tableOperationCountMax', 500],
    ['DB-124', 'requestBytesMax', 16 * megabyte],
    ['DB-168', 'scanSegmentCountMax', 1_000_000],
    ['DB-174', 'clientRequestTokenMinutes', 10],
    ['DB-174', 'clientRequestTokenLengthMax', 36],
    ['DB-264', 'timeToLiveAgeYearsMax', 5],
  ] as const)('%s: %s is %i', (_id, limit, value) => {
    expect(serviceLimits[limit]).toBe(value);
  });
});
