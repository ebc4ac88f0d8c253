import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import {
  type Bucket,
  BucketError,
  directoryBucket,
  type ObjectSummary,
  s3ObjectStore,
} from '../../transfer/buckets/index.ts';
import type { Compression, ItemFormat } from '../../transfer/formats/index.ts';
import { regionOrDefault } from '../endpoint-client.ts';
import { UsageError } from '../usage-error.ts';

/** A file to be read, and its format. */
export interface SourceFile extends ObjectSummary {
  readonly format: ItemFormat;
  readonly compression: Compression;
}

export interface ImportSource {
  readonly bucket: Bucket;
  /** In the order of their keys. */
  readonly files: readonly SourceFile[];
}

/** The maximum number of files of one import. */
const filesMax = 100_000;

/**
 * The files that a source names: a file, a directory with everything below it, or `s3://bucket/prefix`. If there are several files, those whose
 * names do not show their format are skipped, such as the manifests of an export.
 *
 * @throws {UsageError} if there is nothing to read.
 */
export async function openSource(
  source: string,
  told: {
    readonly format?: ItemFormat;
    readonly compression?: Compression;
    readonly s3Endpoint?: string;
    readonly region?: string;
  },
): Promise<ImportSource> {
  try {
    const { bucket, prefix, only } = await locate(source, told);
    const files: SourceFile[] = [];
    for await (const object of bucket.list(prefix)) {
      if (only !== undefined && object.key !== only) continue;
      const file = sourceFile(object, told);
      if (file === undefined && only === undefined) continue;
      if (file === undefined) throw new UsageError(`The format does not follow from the name ${source}: use --format.`);
      if (files.length === filesMax) throw new UsageError(`${source} has more than ${filesMax} files.`);
      files.push(file);
    }
    if (files.length === 0)
      throw new UsageError(`${source} has no file of items (.json, .jsonl, .ndjson, .ion, .csv).`);
    return { bucket, files };
  } catch (error) {
    throw error instanceof BucketError ? new UsageError(error.message, { cause: error }) : error;
  }
}

async function locate(
  source: string,
  { s3Endpoint, region }: { readonly s3Endpoint?: string; readonly region?: string },
): Promise<{ readonly bucket: Bucket; readonly prefix: string; readonly only?: string }> {
  const [, bucketName, prefix = ''] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(source) ?? [];
  if (bucketName !== undefined) {
    const store = s3ObjectStore(s3Endpoint === undefined ? {} : { endpoint: s3Endpoint });
    return { bucket: await store.open(bucketName, regionOrDefault(region === undefined ? {} : { region })), prefix };
  }
  const path = resolve(source);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new UsageError(`There is no file or directory ${source}.`);
  if (found.isDirectory()) return { bucket: directoryBucket(path), prefix: '' };
  return { bucket: directoryBucket(dirname(path)), prefix: basename(path), only: basename(path) };
}

const formats: Readonly<Record<string, ItemFormat>> = {
  json: 'DYNAMODB_JSON',
  jsonl: 'DYNAMODB_JSON',
  ndjson: 'DYNAMODB_JSON',
  ion: 'ION',
  csv: 'CSV',
};

const compressions: Readonly<Record<string, Compression>> = { gz: 'GZIP', zst: 'ZSTD', zstd: 'ZSTD' };

function sourceFile(
  object: ObjectSummary,
  told: { readonly format?: ItemFormat; readonly compression?: Compression },
): SourceFile | undefined {
  const name = basename(object.key);
  // Files that an export writes in addition to its data.
  if (/^(manifest-|_started$|\.)/.test(name)) return undefined;
  const extensions = name.split('.').slice(1);
  const last = extensions.at(-1) ?? '';
  const packed = compressions[last];
  const format = told.format ?? formats[(packed === undefined ? last : extensions.at(-2)) ?? ''];
  if (format === undefined) return undefined;
  return { ...object, format, compression: told.compression ?? packed ?? 'NONE' };
}
