import type { Engine, RequestContext } from '../engine/index.ts';
import { DynamoError } from '../values/service-error.ts';

/** What is answered to a request for a report. */
export interface ReportPage {
  readonly status: 200 | 400 | 404;
  readonly body: Buffer;
}

/** Reports lie below this path, which no action of the API uses. */
export const reportPath = '/_singlet/';

/**
 * Reports for people who look, as JSON. They are no part of the API.
 *
 * | path | holds |
 * |---|---|
 * | `/_singlet/capacity/TABLE` | capacity, partitions and heat of a table and its global indexes |
 * | `/_singlet/contributor-insights/TABLE` | its most accessed and most throttled keys |
 * | `/_singlet/contributor-insights/TABLE/INDEX` | those of a global index |
 *
 * The region is that of the request's credentials or, for those who only have an address to give, of `?region=`.
 *
 * @returns undefined when there is no such report.
 */
export async function reportPage(
  engine: Engine,
  url: string,
  context: RequestContext,
): Promise<ReportPage | undefined> {
  const [path = '', query = ''] = url.split('?', 2);
  const region = new URLSearchParams(query).get('region') ?? context.region;
  const names = decodedNames(path.slice(reportPath.length));
  if (names === undefined) return undefined;
  const [report, tableName, indexName, ...more] = names;
  if (tableName === undefined || tableName === '' || more.length > 0) return undefined;
  const inRegion = { accountId: context.accountId, region };
  if (report === 'capacity' && indexName === undefined) {
    return answered(engine.capacityReport({ tableName }, inRegion));
  }
  if (report === 'contributor-insights') {
    return answered(engine.contributorInsightsReport({ tableName, indexName }, inRegion));
  }
  return undefined;
}

function decodedNames(path: string): readonly string[] | undefined {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

async function answered(report: Promise<object>): Promise<ReportPage> {
  try {
    return { status: 200, body: jsonOf(await report) };
  } catch (error) {
    if (!(error instanceof DynamoError)) throw error;
    const status = error.name === 'ResourceNotFoundException' ? 404 : 400;
    return { status, body: jsonOf({ error: error.name, message: error.message }) };
  }
}

function jsonOf(value: object): Buffer {
  return Buffer.from(JSON.stringify(value), 'utf8');
}
