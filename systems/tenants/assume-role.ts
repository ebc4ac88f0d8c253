import { createHash, createHmac } from 'node:crypto';
import { TENANT_TAG } from './tenant-role.ts';

/** Keys of a user or of a session. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The parameters for requesting a session. */
export interface AssumeTenantOptions {
  /** The endpoint of STS: a server's own address. */
  readonly endpoint: string;
  /** Of the application. */
  readonly credentials: Credentials;
  readonly roleArn: string;
  readonly tenant: string;
}

/** STS refused, or its answer has no credentials. */
export class NoSessionError extends Error {
  override readonly name = 'NoSessionError';
}

const REGION = 'us-east-1';

/**
 * A session of the role for one tenant: `aws sts assume-role --tags Key=tenant,Value=…`, without the package of the SDK for it.
 *
 * @throws {NoSessionError} with the answer of STS.
 */
export async function assumeTenant({
  endpoint,
  credentials,
  roleArn,
  tenant,
}: AssumeTenantOptions): Promise<Credentials> {
  const body = new URLSearchParams({
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: `tenant-${tenant}`,
    'Tags.member.1.Key': TENANT_TAG,
    'Tags.member.1.Value': tenant,
  }).toString();
  const answer = await fetch(endpoint, {
    method: 'POST',
    headers: signedHeaders(new URL(endpoint).host, body, credentials),
    body,
  });
  const text = await answer.text();
  const part = (name: string): string | undefined => new RegExp(`<${name}>([^<]+)<`).exec(text)?.[1];
  const [accessKeyId, secretAccessKey, sessionToken] = ['AccessKeyId', 'SecretAccessKey', 'SessionToken'].map(part);
  if (accessKeyId === undefined || secretAccessKey === undefined || sessionToken === undefined)
    throw new NoSessionError(part('Message') ?? text);
  return { accessKeyId, secretAccessKey, sessionToken };
}

/** Signature Version 4 of one request to STS. */
function signedHeaders(host: string, body: string, credentials: Credentials): Record<string, string> {
  const date = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${date.slice(0, 8)}/${REGION}/sts/aws4_request`;
  const token = credentials.sessionToken;
  const headers: Record<string, string> = {
    'content-type': 'application/x-www-form-urlencoded',
    host,
    'x-amz-date': date,
    ...(token !== undefined && { 'x-amz-security-token': token }),
  };
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = `POST\n/\n\n${lines.join('')}\n${names}\n${sha256(body)}`;
  const key = scope
    .split('/')
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${credentials.secretAccessKey}`);
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${sha256(canonical)}`).toString('hex');
  const { host: _host, ...sent } = headers;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
