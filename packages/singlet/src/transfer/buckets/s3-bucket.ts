import { createHash } from 'node:crypto';
import type * as S3 from '@aws-sdk/client-s3';
import { type Bucket, BucketError, type ObjectStore, type ObjectSummary, type WrittenObject } from './bucket.ts';
import { loadPackage } from '../../values/missing-package.ts';

type S3Library = typeof S3;

/** Objects up to this size are written in one request, larger ones in parts of this size. S3 requires parts of at least 5 MB. */
const partBytes = 16 * 1024 * 1024;

/** S3's limit. With the part size above, an object may have 156 GB. */
const partCountMax = 10_000;

/**
 * Buckets of S3, or of a server that speaks its protocol at `options.endpoint`. The client is loaded with the first bucket, and gets its
 * credentials as the AWS SDK does, unless the options have them.
 *
 * @param options - of the `S3Client`. Its own type would make everyone's declarations need `@aws-sdk/client-s3`.
 */
export function s3ObjectStore(options: object): ObjectStore {
  const config: S3.S3ClientConfig = options;
  const clients = new Map<string, S3.S3Client>();
  return {
    async open(bucketName, region) {
      const s3 = await loadPackage('A bucket of S3', () => import('@aws-sdk/client-s3'));
      const name = region ?? '';
      const client =
        clients.get(name) ??
        new s3.S3Client({
          followRegionRedirects: true,
          ...config,
          ...(config.region === undefined && region !== undefined && { region }),
          // Servers other than S3 seldom have a separate host name for each bucket.
          ...(config.endpoint !== undefined && { forcePathStyle: config.forcePathStyle ?? true }),
        });
      clients.set(name, client);
      const bucket = new S3Bucket(s3, client, bucketName);
      await bucket.check();
      return bucket;
    },
  };
}

class S3Bucket implements Bucket {
  readonly #s3: S3Library;
  readonly #client: S3.S3Client;
  readonly #name: string;

  constructor(s3: S3Library, client: S3.S3Client, name: string) {
    this.#s3 = s3;
    this.#client = client;
    this.#name = name;
  }

  /** @throws {BucketError} if the bucket does not exist, or these credentials have no access to it. */
  async check(): Promise<void> {
    await this.#send(this.#name, () =>
      this.#client.send(new this.#s3.ListObjectsV2Command({ Bucket: this.#name, MaxKeys: 1 })),
    );
  }

  async *list(prefix: string): AsyncGenerator<ObjectSummary> {
    let token: string | undefined;
    do {
      const page = await this.#send(this.#name, () =>
        this.#client.send(
          new this.#s3.ListObjectsV2Command({ Bucket: this.#name, Prefix: prefix, ContinuationToken: token }),
        ),
      );
      for (const { Key, Size } of page.Contents ?? []) {
        // Consoles create keys that end in a slash for empty folders.
        if (Key !== undefined && !Key.endsWith('/')) yield { key: Key, bytes: Size ?? 0 };
      }
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  async read(key: string): Promise<AsyncIterable<Uint8Array>> {
    const { Body } = await this.#send(key, () =>
      this.#client.send(new this.#s3.GetObjectCommand({ Bucket: this.#name, Key: key })),
    );
    if (Body === undefined) throw new BucketError('io', `${key}: the answer has no body.`);
    return this.#body(key, Body as unknown as AsyncIterable<Uint8Array>); // in Node, the body is a Readable
  }

  async write(key: string, chunks: AsyncIterable<Uint8Array>): Promise<WrittenObject> {
    const md5 = createHash('md5');
    const upload = new PartedUpload(this.#s3, this.#client, { Bucket: this.#name, Key: key });
    let bytes = 0;
    try {
      for await (const part of partsOf(chunks)) {
        md5.update(part.bytes);
        bytes += part.bytes.length;
        await this.#send(key, () => upload.add(part.bytes, part.isLast));
      }
      const etag = await this.#send(key, () => upload.finish());
      return { bytes, md5: md5.digest('base64'), etag };
    } catch (error) {
      await upload.abort();
      throw error;
    }
  }

  async create(key: string, bytes: Uint8Array): Promise<void> {
    const put = new this.#s3.PutObjectCommand({ Bucket: this.#name, Key: key, Body: bytes, IfNoneMatch: '*' });
    await this.#send(key, () => this.#client.send(put));
  }

  async remove(key: string): Promise<void> {
    await this.#send(key, () => this.#client.send(new this.#s3.DeleteObjectCommand({ Bucket: this.#name, Key: key })));
  }

  async *#body(key: string, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      throw this.#errorOf(key, error);
    }
  }

  async #send<T>(what: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      throw error instanceof BucketError ? error : this.#errorOf(what, error);
    }
  }

  #errorOf(what: string, error: unknown): BucketError {
    const { name, message } = error instanceof Error ? error : { name: '', message: String(error) };
    const status = statusOf(error);
    if (name === 'NoSuchBucket') {
      return new BucketError('no-such-bucket', `There is no bucket ${this.#name}.`, { cause: error });
    }
    if (name === 'NoSuchKey') {
      return new BucketError('no-such-key', `The bucket has no object ${what}.`, { cause: error });
    }
    if (status === 412 || name === 'PreconditionFailed') {
      return new BucketError('exists', `The bucket has an object ${what} already.`, { cause: error });
    }
    const code = status === 403 || name === 'AccessDenied' ? 'access-denied' : 'io';
    return new BucketError(code, `${what}: ${message}`, { cause: error });
  }
}

function statusOf(error: unknown): number | undefined {
  const metadata = (error as { $metadata?: { httpStatusCode?: number } } | undefined)?.$metadata;
  return metadata?.httpStatusCode;
}

/** One request for a small object, and parts for a large one. Unfinished uploads are aborted. */
class PartedUpload {
  readonly #s3: S3Library;
  readonly #client: S3.S3Client;
  readonly #object: { readonly Bucket: string; readonly Key: string };
  #uploadId: string | undefined;
  readonly #parts: { readonly PartNumber: number; readonly ETag: string | undefined }[] = [];
  #etag = '';

  constructor(s3: S3Library, client: S3.S3Client, object: { readonly Bucket: string; readonly Key: string }) {
    this.#s3 = s3;
    this.#client = client;
    this.#object = object;
  }

  async add(bytes: Uint8Array, isLast: boolean): Promise<void> {
    if (isLast && this.#uploadId === undefined) {
      const put = new this.#s3.PutObjectCommand({ ...this.#object, Body: bytes });
      this.#etag = withoutQuotes((await this.#client.send(put)).ETag);
      return;
    }
    if (this.#parts.length === partCountMax) {
      throw new BucketError('io', `${this.#object.Key} is larger than ${partCountMax} parts of ${partBytes} bytes.`);
    }
    this.#uploadId ??= (await this.#client.send(new this.#s3.CreateMultipartUploadCommand(this.#object))).UploadId;
    const PartNumber = this.#parts.length + 1;
    const { ETag } = await this.#client.send(
      new this.#s3.UploadPartCommand({ ...this.#object, UploadId: this.#uploadId, PartNumber, Body: bytes }),
    );
    this.#parts.push({ PartNumber, ETag });
  }

  /** @returns the object's ETag. */
  async finish(): Promise<string> {
    if (this.#uploadId === undefined) return this.#etag;
    const { ETag } = await this.#client.send(
      new this.#s3.CompleteMultipartUploadCommand({
        ...this.#object,
        UploadId: this.#uploadId,
        MultipartUpload: { Parts: this.#parts },
      }),
    );
    this.#uploadId = undefined;
    return withoutQuotes(ETag);
  }

  /** Best effort: the bucket's lifecycle rules remove anything left. */
  async abort(): Promise<void> {
    if (this.#uploadId === undefined) return;
    const abort = new this.#s3.AbortMultipartUploadCommand({ ...this.#object, UploadId: this.#uploadId });
    await this.#client.send(abort).catch(() => undefined);
  }
}

/** Chunks combined into parts; the last may have any size, and there is at least one. */
async function* partsOf(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly bytes: Uint8Array; readonly isLast: boolean }> {
  let gathered: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    if (length >= partBytes) {
      yield { bytes: Buffer.concat(gathered), isLast: false };
      gathered = [];
      length = 0;
    }
    gathered.push(chunk);
    length += chunk.length;
  }
  yield { bytes: Buffer.concat(gathered), isLast: true };
}

function withoutQuotes(etag: string | undefined): string {
  return (etag ?? '').replaceAll('"', '');
}
