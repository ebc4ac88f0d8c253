import type { BatchResponse, ChangeRecord } from '../../consumer/index.ts';
import { DeliveryError, post } from '../delivery-error.ts';
import { itemChangeOf, lastOfEach } from './item-change.ts';
import type { Sink } from './sink.ts';

export interface SearchIndexOptions {
  /** The URL of the server. */
  readonly url: string;
  readonly index: string;
  /** `USER:PASSWORD`, or a token without a colon. */
  readonly secret: string | undefined;
  /** The timeout of a request. */
  readonly timeoutMs: number;
}

/** The maximum number of bytes read of an answer: some hundred for each of ten thousand documents. */
const answerBytesMax = 16 * 1024 * 1024;

/** Statuses of a document that are not caused by the document: the server had no room, or another node was unavailable. */
const passingStatuses: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

interface BulkAnswer {
  readonly errors?: boolean;
  readonly items?: readonly Readonly<Record<string, { readonly status?: number; readonly error?: unknown }>>[];
}

/**
 * Keeps an index at the present state of the items, by the bulk API common to OpenSearch and Elasticsearch: a document for each item, with an
 * id derived from the key. A batch that is retried writes the same documents.
 *
 * @see https://docs.opensearch.org/latest/api-reference/document-apis/bulk/
 */
export function openSearchIndexSink(options: SearchIndexOptions): Sink {
  return { handler: (records) => write(options, records), close: () => Promise.resolve() };
}

async function write(
  { url, index, secret, timeoutMs }: SearchIndexOptions,
  records: readonly ChangeRecord<unknown>[],
): Promise<BatchResponse | undefined> {
  const changes = lastOfEach(records.map(itemChangeOf));
  const lines = changes.flatMap(({ id, item }) =>
    item === undefined ? [JSON.stringify({ delete: { _id: id } })] : [JSON.stringify({ index: { _id: id } }), item],
  );
  const response = await post(`${url}/${index}/_bulk`, {
    signal: AbortSignal.timeout(timeoutMs),
    headers: {
      'content-type': 'application/x-ndjson',
      ...(secret !== undefined && { authorization: authorizationOf(secret) }),
    },
    body: `${lines.join('\n')}\n`,
  });
  const answer = await readAnswer(response);
  if (!response.ok) throw new BulkRefused(`The search index answered ${response.status}.`);
  const { errors = true, items = [] } = JSON.parse(answer) as BulkAnswer;
  if (!errors) return undefined;
  const results = items.map((item) => Object.values(item)[0] ?? {});
  // Deleting a missing document is not a failure.
  const failed = results.findIndex(({ status = 500 }) => status >= 300 && status !== 404);
  if (failed < 0 && results.length === changes.length) return undefined;
  const { status = 500, error } = results[failed] ?? {};
  const first = changes[failed];
  if (first === undefined || passingStatuses.has(status) || failed === 0) {
    throw new BulkRefused(`The search index refused a document (${status}): ${JSON.stringify(error).slice(0, 300)}`);
  }
  return { batchItemFailures: [{ itemIdentifier: first.sequenceNumber }] };
}

function authorizationOf(secret: string): string {
  return secret.includes(':') ? `Basic ${Buffer.from(secret, 'utf8').toString('base64')}` : `Bearer ${secret}`;
}

/** A batch was refused. */
class BulkRefused extends DeliveryError {
  override readonly name: string = 'BulkRefused';
}

async function readAnswer({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    sizeBytes += chunk.length;
    if (sizeBytes > answerBytesMax)
      throw new BulkRefused(`The search index answered more than ${answerBytesMax} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
