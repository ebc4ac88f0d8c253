import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { retentionMsOf } from '../streams/find-stream.ts';
import { parseStreamArn } from '../streams/stream-arn.ts';
import { decodeStreamRecord, isStreamGone, streamArnOf, streamKey, streamKeys } from '../streams/stream-record.ts';
import { streamLabel } from '../catalog/utc-text.ts';

export interface ListStreamsRequest {
  /** Only the streams of the table of this name, and of deleted tables that had it. */
  readonly tableName?: string | undefined;
  readonly limit?: number | undefined;
  readonly exclusiveStartStreamArn?: string | undefined;
}

export interface StreamSummary {
  readonly streamArn: string;
  readonly tableName: string;
  readonly streamLabel: string;
}

export interface ListStreamsResult {
  readonly streams: readonly StreamSummary[];
  readonly lastEvaluatedStreamArn?: string;
}

/**
 * Lists the streams of the account and region by table name and age: those that are on, and those that were switched off less
 * than a day ago, with their tables or without.
 *
 * @returns `lastEvaluatedStreamArn` only if there are more.
 * @throws {ValidationException} if the start is not the ARN of a stream.
 * @see Amazon DynamoDB API Reference, ListStreams
 */
export async function listStreams(
  services: EngineServices,
  request: ListStreamsRequest,
  context: RequestContext,
): Promise<ListStreamsResult> {
  const limit = request.limit ?? services.limits.listStreamsCountMax;
  const nowMs = services.environment.clock.nowMs();
  const keys = streamKeys(context, request.tableName);
  const start =
    request.exclusiveStartStreamArn === undefined ? undefined : afterStream(request.exclusiveStartStreamArn);
  const from = start === undefined || Buffer.compare(start, keys.from) < 0 ? keys.from : start;
  const streams: StreamSummary[] = [];
  let hasMore = false;
  await services.store.range({ from, to: keys.to }, (key, value) => {
    const stream = decodeStreamRecord(key, value);
    if (isStreamGone(stream, nowMs, retentionMsOf(services))) return true;
    hasMore = streams.length === limit;
    if (!hasMore) {
      const { tableName, sinceMs } = stream;
      streams.push({ streamArn: streamArnOf(stream), tableName, streamLabel: streamLabel(sinceMs) });
    }
    return !hasMore;
  });
  const last = hasMore ? streams.at(-1) : undefined;
  return { streams, ...(last !== undefined && { lastEvaluatedStreamArn: last.streamArn }) };

  function afterStream(streamArn: string): Buffer {
    // The start itself is excluded; it need not exist any more.
    const { tableName, sinceMs } = parseStreamArn(streamArn);
    return Buffer.concat([streamKey(context, tableName, sinceMs), Uint8Array.of(0)]);
  }
}
