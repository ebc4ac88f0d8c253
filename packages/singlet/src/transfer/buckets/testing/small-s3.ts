import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A server, with everything in memory, that implements the part of S3 that imports and exports need: for tests. */
export interface SmallS3 {
  readonly url: string;
  /** Bytes of the objects, by `bucket/key`. */
  readonly objects: Map<string, Buffer>;
  /** Multipart uploads that are neither completed nor aborted. */
  readonly openUploads: ReadonlyMap<string, unknown>;
  close(): Promise<void>;
}

/** Keys in one page of a listing. */
const pageKeys = 3;

export async function startSmallS3(bucketNames: readonly string[]): Promise<SmallS3> {
  const buckets = new Set(bucketNames);
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Map<number, Buffer>>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://s3');
    const [bucket = '', ...rest] = decodeURIComponent(url.pathname.slice(1)).split('/');
    const key = rest.join('/');
    const name = `${bucket}/${key}`;
    const body = bodyOf(await buffer(request), request);
    const upload = url.searchParams.get('uploadId') ?? '';
    if (!buckets.has(bucket)) return refuse(response, 404, 'NoSuchBucket');
    if (key === '') return list(response, objects, bucket, url.searchParams);
    switch (request.method) {
      case 'GET': {
        const found = objects.get(name);
        if (found === undefined) return refuse(response, 404, 'NoSuchKey');
        response.end(found);
        return;
      }
      case 'PUT': {
        if (request.headers['if-none-match'] === '*' && objects.has(name))
          return refuse(response, 412, 'PreconditionFailed');
        if (upload === '') objects.set(name, body);
        else uploads.get(upload)?.set(Number(url.searchParams.get('partNumber')), body);
        response.setHeader('ETag', `"${md5(body)}"`).end();
        return;
      }
      case 'POST': {
        if (url.searchParams.has('uploads')) {
          const id = randomUUID();
          uploads.set(id, new Map());
          return xml(
            response,
            200,
            `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
          );
        }
        const parts = uploads.get(upload) ?? new Map<number, Buffer>();
        const bytes = Buffer.concat([...parts].sort(([a], [b]) => a - b).map(([, part]) => part));
        uploads.delete(upload);
        objects.set(name, bytes);
        return xml(
          response,
          200,
          `<CompleteMultipartUploadResult><ETag>"${md5(bytes)}-${parts.size}"</ETag></CompleteMultipartUploadResult>`,
        );
      }
      default:
        if (upload === '') objects.delete(name);
        uploads.delete(upload);
        response.writeHead(204).end();
    }
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    objects,
    openUploads: uploads,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function list(
  response: ServerResponse,
  objects: ReadonlyMap<string, Buffer>,
  bucket: string,
  query: URLSearchParams,
): void {
  const prefix = `${bucket}/${query.get('prefix') ?? ''}`;
  const after = query.get('continuation-token') ?? '';
  const names = [...objects.keys()]
    .filter((name) => name.startsWith(prefix) && name > after)
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const page = names.slice(0, pageKeys);
  const contents = page.map(
    (name) =>
      `<Contents><Key>${escaped(name.slice(bucket.length + 1))}</Key><Size>${objects.get(name)?.length ?? 0}</Size></Contents>`,
  );
  const isTruncated = names.length > page.length;
  const token = isTruncated ? `<NextContinuationToken>${escaped(page.at(-1) ?? '')}</NextContinuationToken>` : '';
  xml(
    response,
    200,
    `<ListBucketResult>${contents.join('')}<IsTruncated>${isTruncated}</IsTruncated>${token}</ListBucketResult>`,
  );
}

/** The SDK sends bodies with a trailing checksum in chunks: `size;signature CRLF bytes CRLF`. */
function bodyOf(body: Buffer, request: IncomingMessage): Buffer {
  if (request.headers['content-encoding']?.includes('aws-chunked') !== true) return body;
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const end = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, end), 16);
    if (!(size > 0)) break;
    parts.push(body.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
  return Buffer.concat(parts);
}

function refuse(response: ServerResponse, status: number, code: string): void {
  xml(response, status, `<Error><Code>${code}</Code><Message>refused</Message></Error>`);
}

function xml(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${body}`);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function md5(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex');
}
