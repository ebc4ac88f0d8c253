import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDatabase, type DatabaseOptions } from './create-database.ts';

test.each<[string, object, string]>([
  ['buckets that are an endpoint', { buckets: { endpoint: 'http://127.0.0.1:9000' } }, 'buckets takes the path of'],
  ['buckets that are null', { buckets: null }, 'buckets takes the path of'],
  ['an S3 client that is a URL', { buckets: { s3: 'http://127.0.0.1:9000' } }, 'buckets takes the path of'],
  ['replicas elsewhere without a secret', { replicaEndpoints: { 'eu-west-1': 'http://127.0.0.1:1' } }, 'replicaSecret'],
  ['a region that is none', { region: 'not a region' }, 'region takes the name of a region such as eu-west-1'],
  ['a Kinesis endpoint that is no URL', { kinesisEndpoint: 'there' }, 'there'],
])('refuses %s before anything is opened', async (_, options, message) => {
  const parent = await mkdtemp(join(tmpdir(), 'singlet-create-'));
  try {
    const directory = join(parent, 'data');
    await expect(createDatabase({ ...(options as DatabaseOptions), directory })).rejects.toThrow(message);
    expect(existsSync(directory)).toBe(false);
  } finally {
    await rm(parent, { recursive: true });
  }
});
