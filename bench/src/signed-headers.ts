import { createHash, createHmac } from 'node:crypto';

/** An access key of a server with `--auth`. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const region = 'us-east-1';
/** The headers that the AWS CLI and boto3 sign. */
const signedNames = ['content-type', 'host', 'x-amz-date', 'x-amz-target'] as const;

/**
 * The headers of a request with a signature that a server accepts for 15 minutes (Signature Version 4). Signed before the clock starts.
 *
 * @param headers - includes the names above.
 */
export function signedHeaders(
  headers: Readonly<Record<string, string>>,
  body: string,
  { accessKeyId, secretAccessKey }: Credentials,
): Record<string, string> {
  const date = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const day = date.slice(0, 8);
  const dated: Record<string, string> = { ...headers, 'x-amz-date': date };
  const lines = signedNames.map((name) => `${name}:${dated[name] ?? ''}\n`).join('');
  const names = signedNames.join(';');
  const canonicalRequest = `POST\n/\n\n${lines}\n${names}\n${sha256(body)}`;
  const scope = `${day}/${region}/dynamodb/aws4_request`;
  const key = [day, region, 'dynamodb', 'aws4_request'].reduce<string | Buffer>(
    (previous, part) => hmac(previous, part),
    `AWS4${secretAccessKey}`,
  );
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${sha256(canonicalRequest)}`).toString('hex');
  const credential = `${accessKeyId}/${scope}`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...dated, authorization };
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'utf8').digest();
}
