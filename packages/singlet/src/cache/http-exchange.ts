import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { isObject, type WireObject } from './item-identity.ts';

/*
 * The cache intercepts requests where the SDK hands them to the network. At that point a request is the same for the plain client and for the
 * document client, and items are the text that the server sent.
 */

const utf8 = new TextDecoder();

type RequestHandler = DynamoDBClient['config']['requestHandler'];
export type HttpRequest = Parameters<RequestHandler['handle']>[0];
export type HttpOptions = Parameters<RequestHandler['handle']>[1];
export type HttpReply = Awaited<ReturnType<RequestHandler['handle']>>;

/** An answer that has been read. */
export interface Answer {
  readonly reply: HttpReply;
  readonly isOk: boolean;
  /** Whether the request may have taken effect although the answer says otherwise. */
  readonly isInDoubt: boolean;
  readonly body: WireObject;
}

/** The action and input of a request; undefined for a request that does not use this protocol. */
export function readRequest(request: HttpRequest): { readonly action: string; readonly input: WireObject } | undefined {
  const headers: Readonly<Record<string, string>> = request.headers;
  const header = Object.entries(headers).find(([name]) => name.toLowerCase() === 'x-amz-target');
  const action = header?.[1].split('.')[1];
  const input = parse(bodyText(request.body));
  return action === undefined || input === undefined ? undefined : { action, input };
}

/** Reads an answer, and makes it readable again. */
export async function readReply(
  reply: HttpReply,
  collect: DynamoDBClient['config']['streamCollector'],
): Promise<Answer> {
  const { response } = reply;
  const bytes = response.body instanceof Uint8Array ? response.body : await collect(response.body);
  response.body = bytes;
  const { statusCode } = response;
  return {
    reply,
    isOk: statusCode === 200,
    isInDoubt: statusCode >= 500,
    body: parse(utf8.decode(bytes)) ?? {},
  };
}

/** An answer from the cache. */
export function replyWith(body: string): HttpReply {
  const response = {
    statusCode: 200,
    headers: { 'content-type': 'application/x-amz-json-1.0' },
    body: new Uint8Array(Buffer.from(body, 'utf8')),
  };
  // The SDK uses only these members, and does not check the class.
  return { response } as HttpReply;
}

function bodyText(body: unknown): string {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? utf8.decode(body) : '';
}

function parse(text: string): WireObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // Not JSON, so nothing that this cache stores.
    return undefined;
  }
}
