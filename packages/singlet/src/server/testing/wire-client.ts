import type { Random } from '../../engine/index.ts';
import { targetOf } from '../operations/index.ts';
import type { WireHandler, WireOptions, WireRequest } from '../wire.ts';

/** Bytes that are the same in every run. */
export function countingRandom(): Random {
  let next = 0;
  return {
    bytes: (count) => Uint8Array.from({ length: count }, () => (next = (next * 167 + 13) % 256)),
  };
}

export function testOptions(options: Partial<WireOptions> = {}): WireOptions {
  return { random: countingRandom(), monotonicMs: () => 0, ...options };
}

export interface WireAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
  readonly text: string;
}

/** A POST of an action, or any other request with `overrides`. */
export function wireRequest(action: string, body: unknown, overrides: Partial<WireRequest> = {}): WireRequest {
  return {
    method: 'POST',
    url: '/',
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    ...overrides,
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': targetOf(action),
      ...overrides.headers,
    },
  };
}

export async function send(handler: WireHandler, request: WireRequest): Promise<WireAnswer> {
  const { status, headers, body } = await handler(request);
  const entries: [string, string][] = [];
  for (let index = 0; index < headers.length; index += 2) {
    entries.push([(headers[index] ?? '').toLowerCase(), headers[index + 1] ?? '']);
  }
  return { status, headers: new Map(entries), body, text: Buffer.from(body).toString('utf8') };
}

/** The parsed answer to an action. */
export async function callAction(
  handler: WireHandler,
  action: string,
  body: unknown,
  overrides: Partial<WireRequest> = {},
): Promise<{ readonly status: number; readonly json: unknown }> {
  const { status, text } = await send(handler, wireRequest(action, body, overrides));
  return { status, json: text === '' ? undefined : JSON.parse(text) };
}
