import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type BatchHandler, type BatchResponse, lambdaEvent } from '../consumer/index.ts';
import { DeliveryError, post } from './delivery-error.ts';
import { fileProblem } from './file-problem.ts';
import { UsageError } from './usage-error.ts';

export interface WebhookOptions {
  readonly url: string;
  /** Signs each request. Without it requests are unsigned. */
  readonly secret?: string | undefined;
  /** The timeout of a request. */
  readonly timeoutMs: number;
}

const secretLengthMin = 16;

/** The maximum number of bytes read of an answer. */
const answerBytesMax = 256 * 1024;

/**
 * Posts each batch to a URL as the event of a Lambda function. A batch is done if the answer is 2xx. Any other answer, a timeout and a redirect
 * are failures, and the batch is retried. An answer may be a Lambda function's `{ batchItemFailures: [...] }`.
 *
 * The headers are those of Standard Webhooks: `webhook-id`, the same for the same records however often they are sent, `webhook-timestamp` in
 * seconds, and `webhook-signature`, `v1,` and the base64 of HMAC-SHA256 of `id.timestamp.body`.
 *
 * @see https://www.standardwebhooks.com
 */
export function posting({ url, secret, timeoutMs }: WebhookOptions): BatchHandler<unknown> {
  return async (records, { streamArn }) => {
    const event = lambdaEvent(
      records.map(({ source }) => source),
      streamArn,
    );
    const body = JSON.stringify(event);
    const id = idOf(records.map(({ eventId }) => eventId));
    const timestamp = String(Math.floor(Date.now() / 1000));
    const response = await post(url, {
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        ...(secret !== undefined && { 'webhook-signature': signatureOf(secret, `${id}.${timestamp}.${body}`) }),
      },
      body,
    });
    const answer = await readAnswer(response);
    if (!response.ok) throw new WebhookRefused(`The webhook answered ${response.status}.`);
    return batchResponseOf(answer);
  };
}

/** The secret in a file. @throws {UsageError} if it cannot be read or is too short. */
export function secretIn(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  let secret: string;
  try {
    secret = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw fileProblem(file, error);
  }
  if (secret.length >= secretLengthMin) return secret;
  throw new UsageError(`The secret in ${file} has fewer than ${secretLengthMin} characters.`);
}

/** The webhook refused its batch. */
class WebhookRefused extends DeliveryError {
  override readonly name: string = 'WebhookRefused';
}

function idOf(eventIds: readonly string[]): string {
  return `batch_${createHash('sha256').update(eventIds.join('\n')).digest('hex').slice(0, 32)}`;
}

function signatureOf(secret: string, content: string): string {
  // In the form of Standard Webhooks: the prefix, and base64 of the bytes. Any other text is the secret itself.
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

/** Reads the body, to free the connection. @throws {WebhookRefused} if it is larger than any valid answer. */
async function readAnswer({ body }: Response): Promise<string> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body as ReadableStream<Uint8Array>) {
    sizeBytes += chunk.length;
    if (sizeBytes > answerBytesMax) throw new WebhookRefused(`The webhook answered more than ${answerBytesMax} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Answers that are not a batch response are ignored, as with Lambda. */
function batchResponseOf(answer: string): BatchResponse | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(answer);
  } catch {
    return undefined;
  }
  return isBatchResponse(parsed) ? parsed : undefined;
}

/** Whether an answer lists the records that failed. */
export function isBatchResponse(answer: unknown): answer is BatchResponse {
  if (typeof answer !== 'object' || answer === null || !('batchItemFailures' in answer)) return false;
  const { batchItemFailures } = answer;
  return (
    Array.isArray(batchItemFailures) &&
    batchItemFailures.every((failure) => typeof failure === 'object' && failure !== null && 'itemIdentifier' in failure)
  );
}
