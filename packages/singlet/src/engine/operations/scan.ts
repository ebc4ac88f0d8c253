import { type Awaitable, chain } from '../../values/awaitable.ts';
import { ValidationException } from '../../values/service-error.ts';
import { checkExpressionParameters, compileExpressions } from '../../expressions/index.ts';
import type { RequestContext } from '../environment.ts';
import { justAfter } from '../items/key-range.ts';
import { pagePositionOf } from '../items/page-position.ts';
import { readPage } from '../items/read-page.ts';
import { hashBytes, spaceStart, storeKey } from '../layout/spaces.ts';
import type { EngineServices } from '../services.ts';
import { checkSelect, checkStartKey, needsTable, pageResult, resolveIndex } from './page-parameters.ts';
import type { PageResult } from './page-request.ts';
import { checkKeysAreScalars } from '../items/check-update.ts';
import type { LegacyCondition } from '../../expressions/index.ts';
import type { PageRequest } from './page-request.ts';

export interface ScanRequest extends PageRequest {
  readonly segment?: number | undefined;
  readonly totalSegments?: number | undefined;
  /** Legacy. */
  readonly scanFilter?: Readonly<Record<string, LegacyCondition>> | undefined;
}

/**
 * Reads one page of a whole table or index, in the order of the partition keys' hashes, which clients must not rely on. A
 * segment is a range of hashes, so segments are disjoint and together cover everything.
 *
 * @throws {ValidationException} if the request is invalid.
 * @see DynamoDB API Reference, Scan; conformance/scan
 */
export function scan(services: EngineServices, request: ScanRequest, context: RequestContext): Awaitable<PageResult> {
  checkExpressionParameters(request, 'Scan');
  const startKey = checkStartKey(request.exclusiveStartKey, 'older');
  checkSegment(request);
  const { filter, projection } = compileExpressions(request, 'Scan');
  checkSelect(request);
  return services.catalog.withTable(context, request.tableName, (table) => {
    const index = resolveIndex(table, request, 'Scan');
    const range = segmentRange(
      index?.space ?? table.record.itemSpace,
      request.segment ?? 0,
      request.totalSegments ?? 1,
    );
    let { from } = range;
    const fetchFromTable = needsTable(index, request, filter, projection);
    if (startKey !== undefined) {
      const { storeKey: position } = pagePositionOf(table, index, startKey, 'Scan');
      if (position.compare(range.from) < 0 || position.compare(range.to) >= 0) {
        throw new ValidationException(
          `The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: ${request.totalSegments ?? 1} Segment: ${request.segment ?? 0}`,
        );
      }
      from = justAfter(position);
    }
    if (projection !== undefined) checkKeysAreScalars(table, projection.paths);
    if (filter !== undefined) checkKeysAreScalars(table, filter.paths);
    const page = readPage(services, {
      table,
      index,
      from,
      to: range.to,
      reverse: false,
      limit: request.limit,
      filter,
      projection,
      countOnly: request.select === 'COUNT',
      fetchFromTable,
      consistency: request.consistentRead === true ? 'strong' : 'eventual',
    });
    return chain(page, (read) => pageResult(table, request, read));
  });
}

/** @throws {ValidationException} if segment and number of segments do not match. */
function checkSegment({ segment, totalSegments }: ScanRequest): void {
  if (segment !== undefined && totalSegments === undefined) {
    throw new ValidationException(
      'The TotalSegments parameter is required but was not present in the request when Segment parameter is present',
    );
  }
  if (totalSegments === undefined) return;
  if (segment === undefined) {
    throw new ValidationException(
      'The Segment parameter is required but was not present in the request when parameter TotalSegments is present',
    );
  }
  if (segment >= totalSegments) {
    throw new ValidationException(
      `The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: ${segment} is not less than TotalSegments: ${totalSegments}`,
    );
  }
}

/** Segments divide the range of the hash's first 48 bits: even enough for up to a million segments, and exact in a double. */
function segmentRange(spaceId: number, segment: number, totalSegments: number): { from: Buffer; to: Buffer } {
  const startOf = (n: number): Buffer => {
    if (n === totalSegments) return spaceStart(spaceId + 1);
    const hash = Buffer.alloc(hashBytes);
    hash.writeUIntBE(Math.floor((n / totalSegments) * 2 ** 48), 0, 6);
    return storeKey(spaceId, hash);
  };
  return { from: startOf(segment), to: startOf(segment + 1) };
}
