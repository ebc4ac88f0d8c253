import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { SignedRequest } from '../signature/signature-parts.ts';

/** Signs requests with the AWS SDK's own signer, which shares no code with the verifier under test. */

export interface TestCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface TestRequest {
  readonly method?: string;
  readonly path?: string;
  readonly query?: Record<string, string>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly region?: string;
  readonly service?: string;
  readonly nowMs: number;
}

export async function signedRequest(credentials: TestCredentials, request: TestRequest): Promise<SignedRequest> {
  const signed = await signer(credentials, request).sign(plainRequest(request), {
    signingDate: new Date(request.nowMs),
  });
  return { method: signed.method, url: urlOf(signed), headers: signed.headers, body: bytesOf(request.body) };
}

/** The signature is put into the query; headers that are not hoisted there have to be sent as headers. */
export async function presignedRequest(credentials: TestCredentials, request: TestRequest): Promise<SignedRequest> {
  const signed = await signer(credentials, request).presign(plainRequest(request), {
    signingDate: new Date(request.nowMs),
    unhoistableHeaders: new Set(['x-amz-target']),
  });
  return { method: signed.method, url: urlOf(signed), headers: signed.headers, body: bytesOf(request.body) };
}

export function targetHeaders(action: string): Readonly<Record<string, string>> {
  return { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${action}` };
}

function signer(
  credentials: TestCredentials,
  { region = 'us-east-1', service = 'dynamodb' }: TestRequest,
): SignatureV4 {
  return new SignatureV4({ credentials, region, service, sha256: Sha256 });
}

function plainRequest({ method = 'POST', path = '/', query = {}, headers = {}, body }: TestRequest): {
  method: string;
  protocol: string;
  hostname: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
} {
  return {
    method,
    protocol: 'http:',
    hostname: '127.0.0.1',
    path,
    query,
    headers: { host: '127.0.0.1:8000', ...headers },
    body: body === undefined ? undefined : bytesOf(body),
  };
}

function urlOf({ path, query = {} }: { readonly path: string; readonly query?: object | undefined }): string {
  const parameters = Object.entries(query) as [string, string][];
  if (parameters.length === 0) return path;
  const text = parameters.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  return `${path}?${text}`;
}

function bytesOf(body: string | Uint8Array | undefined): Uint8Array {
  return typeof body === 'string' ? Buffer.from(body, 'utf8') : (body ?? new Uint8Array());
}

/** SHA-256, or HMAC if there is a key, with the interface that the signer expects. */
class Sha256 {
  readonly #hash: { update(data: string | Uint8Array): unknown; digest(): Buffer };

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bufferOf(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bufferOf(data));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }

  reset(): void {
    throw new TypeError('a hash is used once');
  }
}

function bufferOf(data: string | ArrayBuffer | ArrayBufferView): Buffer {
  if (typeof data === 'string') return Buffer.from(data, 'utf8');
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
}
