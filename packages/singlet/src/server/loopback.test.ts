import { expect, test } from 'vitest';
import { isLoopbackHost } from './loopback.ts';

test.each(['localhost', '127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1'])('%s is this machine', (host) => {
  expect(isLoopbackHost(host)).toBe(true);
});

test.each(['', '0.0.0.0', '::', '128.0.0.1', '10.0.0.1', '127.0.0.1.example.com', 'localhost.example.com', '127.1'])(
  '"%s" may be reached from elsewhere',
  (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  },
);
