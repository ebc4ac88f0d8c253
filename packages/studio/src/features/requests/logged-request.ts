/** A request as `GET /_singlet/requests` returns it. */
export interface LoggedRequest {
  readonly seq: number;
  readonly atEpochMs: number;
  readonly action: string | null;
  readonly table: string | null;
  readonly index: string | null;
  readonly status: number;
  readonly error: string | null;
  readonly durationMs: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly read: number | null;
  readonly returned: number | null;
  readonly scan: boolean;
  readonly throttled: boolean;
  readonly capacity: {
    readonly reads: number;
    readonly writes: number;
    readonly indexes: Readonly<Record<string, { readonly reads: number; readonly writes: number }>>;
  } | null;
  readonly keys: readonly string[];
  /** The patterns of the server's models that ask for the same, usually one. Absent from an older server. */
  readonly patterns?: readonly { readonly model: string; readonly name: string }[];
  readonly who: {
    readonly identity: string | null;
    readonly userAgent: string | null;
    /** Absent from an older server. */
    readonly address?: string | null;
  };
}

/** The same with its bodies. */
export interface LoggedRequestWithBodies extends LoggedRequest {
  readonly bodies: {
    readonly request: string | null;
    readonly response: string | null;
    readonly omitted: string | null;
  };
}

/** Why a request has its cost, or failed. */
export interface RequestFinding {
  readonly code: 'throttle' | 'error' | 'scan' | 'filter-after-read' | 'index-writes' | 'large-item' | 'hot-key';
  readonly message: string;
  readonly remedy: string;
}

const readPerReturned = 2;
const largeItemBytes: number = 64 * 1024;
/** Minimum number of requests to a table for a hot key: one with more than half of them. */
const requestsToTell = 50;
const hotShare = 0.5;

/**
 * What a request's own figures show, the most severe first.
 *
 * @param others - requests of the same time, among which its key may be conspicuous.
 */
export function findingsOf(request: LoggedRequest, others: readonly LoggedRequest[] = []): readonly RequestFinding[] {
  const { throttled, error, scan, table } = request;
  const read = request.read ?? 0;
  const returned = request.returned ?? 0;
  const findings: RequestFinding[] = [];
  if (throttled) {
    findings.push({
      code: 'throttle',
      message: `It was refused: ${table ?? 'the table'} has no throughput left for it (${error ?? ''}).`,
      remedy: 'Spread the key that most requests name, or give the table more throughput. SDKs retry by themselves.',
    });
  } else if (error !== null) {
    findings.push({ code: 'error', message: `It was refused with ${error}.`, remedy: 'The response below says why.' });
  }
  if (scan) {
    findings.push({
      code: 'scan',
      message: `It is a scan: it read ${read} items in the order in which they are stored, and returned ${returned}.`,
      remedy: 'Query by a partition key of the table, or of an index that has the attribute in its key.',
    });
  }
  if (read > Math.max(returned, 1) * readPerReturned) {
    findings.push({
      code: 'filter-after-read',
      message: `It read ${read} items to return ${returned}: the filter is applied after reading.`,
      remedy: 'Put what the filter tests into the sort key, or into the key of a sparse index.',
    });
  }
  findings.push(...writeFindings(request), ...sizeFindings(request, returned), ...hotKeyFindings(request, others));
  return findings;
}

function writeFindings({ capacity }: LoggedRequest): readonly RequestFinding[] {
  const indexes = Object.entries(capacity?.indexes ?? {}).filter(([, { writes }]) => writes > 0);
  const ofIndexes = indexes.reduce((sum, [, { writes }]) => sum + writes, 0);
  if (capacity === null || ofIndexes * 2 <= capacity.writes) return [];
  const names = indexes.map(([name, { writes }]) => `${name} ${writes}`).join(', ');
  return [
    {
      code: 'index-writes',
      message: `${ofIndexes} of its ${capacity.writes} write units went to indexes: ${names}.`,
      remedy: 'Project fewer attributes, and keep what changes often out of the keys of indexes.',
    },
  ];
}

function sizeFindings(
  { requestBytes, responseBytes, action }: LoggedRequest,
  returned: number,
): readonly RequestFinding[] {
  const isWrite = /^(Put|Update)Item$/.test(action ?? '');
  const bytes = isWrite ? requestBytes : returned > 0 ? responseBytes / returned : 0;
  if (bytes < largeItemBytes) return [];
  return [
    {
      code: 'large-item',
      message: `Its items are about ${Math.round(bytes / 1024)} KB each, and each KB costs units.`,
      remedy: 'Move what is rarely needed into a separate item, or into object storage.',
    },
  ];
}

function hotKeyFindings({ keys, table }: LoggedRequest, others: readonly LoggedRequest[]): readonly RequestFinding[] {
  const [key] = keys;
  const ofTable = others.filter((other) => other.table === table && other.keys.length > 0);
  const ofKey = ofTable.filter((other) => key !== undefined && other.keys.includes(key)).length;
  if (key === undefined || ofTable.length < requestsToTell || ofKey <= ofTable.length * hotShare) return [];
  return [
    {
      code: 'hot-key',
      message: `${ofKey} of the last ${ofTable.length} requests to ${table ?? ''} name the key ${key}.`,
      remedy: 'Spread it over several partition keys, with a number at the end, or cache what is read.',
    },
  ];
}
