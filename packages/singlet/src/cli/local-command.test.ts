import { expect, test } from 'vitest';
import { serveFlagsOf } from './local-command.ts';

test.each<[string, string]>([
  ['', ''],
  ['-inMemory -sharedDb -port 9000', '--memory --one-region --one-region --port 9000'],
  ['-Djava.library.path=./DynamoDBLocal_lib -jar DynamoDBLocal.jar -sharedDb', '--one-region'],
  [
    '-dbPath /data -optimizeDbBeforeStartup -delayTransientStatuses',
    '--data /data/singlet-data --lifecycle-delay 2000',
  ],
  ['-cors https://a.example,https://b.example', '--cors https://a.example --cors https://b.example'],
])('%s becomes %s', (flags, expected) => {
  expect(serveFlagsOf(flags.split(' ').filter((flag) => flag !== '')).serve.join(' ')).toBe(expected);
});

test('what has no effect is said', () => {
  expect(serveFlagsOf(['-dbPath', '.', '-optimizeDbBeforeStartup', '-disableTelemetry']).notes).toEqual([
    '-optimizeDbBeforeStartup: there is no file that would have to be optimized',
    '-disableTelemetry: there is no telemetry',
  ]);
});

test.each<[string, string]>([
  ['-memory', 'DynamoDB Local has no flag -memory.'],
  ['-toString', 'DynamoDB Local has no flag -toString.'],
  ['-port', '-port needs a value.'],
  ['-inMemory -dbPath .', '-inMemory keeps nothing, so it cannot be used with -dbPath.'],
  ['-optimizeDbBeforeStartup', '-optimizeDbBeforeStartup needs -dbPath.'],
])('%s is refused', (flags, message) => {
  expect(() => serveFlagsOf(flags.split(' '))).toThrow(message);
});
