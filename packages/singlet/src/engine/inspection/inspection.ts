import type { AttributeMap } from '../../values/attribute-value.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { explainRead, type ReadCall } from './explain-read.ts';
import type { ReadExplanation } from './read-explanation.ts';
import { heatReport, type HeatReport, type HeatRequest } from './heat-report.ts';
import { expiryReport, type ExpiryReport } from './expiry-report.ts';
import { streamReport, type StreamReport } from './stream-report.ts';
import { itemHistory, type ItemHistory } from './item-history.ts';
import { keyPlace, type KeyPlace, type PlaceRequest } from './key-place.ts';
import { previewWrite, type WriteCall } from './preview-write.ts';
import { spaceOutline, type SpaceOutline } from './space-outline.ts';
import type { Subject } from './inspected-space.ts';
import { tableGauges, type TableGauges } from './table-gauges.ts';
import type { QueryRequest } from '../operations/query.ts';
import { queryTerms, type QueryTerm } from './query-terms.ts';
import { streamReaders, type StreamReaderReport } from './stream-readers.ts';
import type { WritePreview } from './write-preview.ts';

/** Reports for people and their tools that are not actions of the API. Loaded on first use. */
export interface EngineInspection {
  /** The effect of a write, without performing it. A refusal is part of the answer. */
  previewWrite(call: WriteCall, context: RequestContext): Promise<WritePreview>;
  /** What a read would read, without counting it. A refusal is thrown. */
  explainRead(call: ReadCall, context: RequestContext): Promise<ReadExplanation>;
  /** The conditions of a query on its key. */
  queryTerms(request: QueryRequest): readonly QueryTerm[];
  /** The position of a key in hash space, or the items at a place in hash space. */
  keyPlace(request: PlaceRequest, context: RequestContext): Promise<KeyPlace>;
  /** The changes of an item that the table still keeps, the newest first. */
  itemHistory(
    request: { readonly tableName: string; readonly key: AttributeMap },
    context: RequestContext,
  ): Promise<ItemHistory>;
  /** The stream of a table, and how far its shards reach. */
  streamReport(request: { readonly tableName: string }, context: RequestContext): Promise<StreamReport>;
  /** The readers of a table's stream that keep their checkpoints in this database. */
  streamReaders(
    request: { readonly tableName: string },
    context: RequestContext,
  ): Promise<readonly StreamReaderReport[]>;
  /** The items of a table that have expired but still exist. */
  expiryReport(request: { readonly tableName: string }, context: RequestContext): Promise<ExpiryReport>;
  /** The recent consumption of a table or index in this process, by hashes and time, and its hottest keys. Recorded from the first call. */
  heatReport(request: HeatRequest, context: RequestContext): Promise<HeatReport>;
  /** The distribution of the items of a table or index in hash space. */
  spaceOutline(request: Subject & { readonly rows: number }, context: RequestContext): Promise<SpaceOutline>;
  /** The gauges of tables: of all accounts and regions, up to a maximum number of tables. */
  tableGauges(tablesMax: number): Promise<readonly TableGauges[]>;
}

export function inspectionOf(services: EngineServices): EngineInspection {
  return {
    previewWrite: (call, context) => previewWrite(services, call, context),
    explainRead: (call, context) => explainRead(services, call, context),
    queryTerms,
    keyPlace: (request, context) => keyPlace(services, request, context),
    itemHistory: (request, context) => itemHistory(services, request, context),
    streamReport: (request, context) => streamReport(services, request, context),
    streamReaders: (request, context) => streamReaders(services, request, context),
    expiryReport: (request, context) => expiryReport(services, request, context),
    heatReport: (request, context) => heatReport(services, request, context),
    spaceOutline: (request, context) => spaceOutline(services, request, context),
    tableGauges: (tablesMax) => tableGauges(services, tablesMax),
  };
}
