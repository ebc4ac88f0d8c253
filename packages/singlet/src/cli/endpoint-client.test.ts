import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { endpointConfig, type EndpointFlags, endpointName, withEndpoint } from './endpoint-client.ts';

function flagsOf(...words: readonly string[]): EndpointFlags {
  const command = withEndpoint(new Command('some'))
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  return command.parse(words, { from: 'user' }).opts();
}

describe('where tables are', () => {
  beforeEach(() => {
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_PROFILE', 'AWS_REGION', 'AWS_DEFAULT_REGION'])
      vi.stubEnv(name, undefined);
  });
  afterEach(() => void vi.unstubAllEnvs());

  test('is the server of this machine unless said otherwise', () => {
    expect(endpointConfig(flagsOf())).toEqual({
      endpoint: 'http://127.0.0.1:8000',
      region: 'us-east-1',
      credentials: { accessKeyId: 'singlet', secretAccessKey: 'singlet' },
    });
  });

  test('is Amazon with --aws: credentials and region are those of the SDK', () => {
    expect(endpointConfig(flagsOf('--aws'))).toEqual({});
    expect(endpointConfig(flagsOf('--aws', '--region', 'eu-west-1'))).toEqual({ region: 'eu-west-1' });
    expect(endpointName(flagsOf('--aws'))).toBe('Amazon DynamoDB');
    expect(() => flagsOf('--aws', '--endpoint', 'http://127.0.0.1:1')).toThrow(/cannot be used with/);
  });

  test('requests are signed with the credentials of the environment, if there are any', () => {
    vi.stubEnv('AWS_PROFILE', 'shop');
    vi.stubEnv('AWS_DEFAULT_REGION', 'eu-north-1');
    const endpoint = 'http://shop.internal:8000';
    expect(endpointConfig(flagsOf('-e', endpoint))).toEqual({ endpoint, region: 'eu-north-1' });
  });

  test('a region of the environment is checked like a flag', () => {
    vi.stubEnv('AWS_REGION', '');
    vi.stubEnv('AWS_DEFAULT_REGION', 'not a region');
    expect(() => endpointConfig(flagsOf('-e', 'http://127.0.0.1:1'))).toThrow(
      'AWS_DEFAULT_REGION takes the name of a region such as eu-west-1, not "not a region".',
    );
  });

  test.each([
    [['--region', 'not a region'], '--region takes the name of a region such as eu-west-1, not "not a region".'],
    [['--region', ''], '--region takes the name of a region such as eu-west-1, not "".'],
    [['--endpoint', 'localhost:8000'], '--endpoint takes a URL such as http://127.0.0.1:8000, not "localhost:8000".'],
  ])('refuses %j', (words, message) => {
    expect(() => flagsOf(...words)).toThrow(message);
  });
});
