import { createHash, createHmac } from 'node:crypto';

/** Credentials of an AWS account. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface UnsignedRequest {
  /** POST by default. */
  readonly method?: 'GET' | 'POST';
  /** Without a query. */
  readonly url: URL;
  /** `application/x-amz-json-1.0` by default. */
  readonly contentType?: string;
  /** The action; requests beside the API have none. */
  readonly target?: string;
  readonly body: string | Uint8Array;
}

/**
 * The headers of a signed request to DynamoDB, Signature Version 4.
 *
 * @see AWS General Reference, "Signature Version 4 signing process"
 */
export function signedHeaders(
  { method = 'POST', url, contentType = 'application/x-amz-json-1.0', target, body }: UnsignedRequest,
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
  { region, nowMs }: { readonly region: string; readonly nowMs: number },
): Record<string, string> {
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const sent: Record<string, string> = {
    'content-type': contentType,
    host: url.host,
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
    ...(target !== undefined && { 'x-amz-target': target }),
  };
  const names = Object.keys(sent).join(';'); // they are listed in order
  const canonical = [
    method,
    url.pathname,
    '',
    ...Object.entries(sent).map(([name, value]) => `${name}:${value}`),
    '',
    names,
    sha256(body),
  ].join('\n');
  const scope = `${day}/${region}/dynamodb/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = [day, region, 'dynamodb', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, text).toString('hex');
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
