import { expect, test } from 'vitest';
import { serverProblem } from './schema.ts';

test.each([
  'PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14) 12.2.0, 64-bit',
  'PostgreSQL 18.4 on x86_64-pc-linux-gnu, compiled by gcc 8.5.0, 64-bit',
  'PostgreSQL 19devel on x86_64-pc-linux-gnu, compiled by gcc 12.2.0, 64-bit',
])('a store may be on %s', (version) => {
  expect(serverProblem(version)).toBeUndefined();
});

test.each([
  ['PostgreSQL 14.11 on x86_64-pc-linux-gnu, compiled by gcc, 64-bit', /^This is PostgreSQL 14\.11\. .*15 or newer/],
  // No server of another engine was asked: these texts have the form that their engines are known for.
  [
    'PostgreSQL 11.2-YB-2.20.1.3-b0 on x86_64-pc-linux-gnu, compiled by clang version 16.0.6, 64-bit',
    /^This is YugabyteDB\./,
  ],
  ['PostgreSQL 15.12-YB-2025.1.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang version 17.0.6, 64-bit', /YugabyteDB/],
  [
    'CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu, built 2024/05/15 21:28:29, go1.22.2 X:nocoverageredesign)',
    /^This is CockroachDB\./,
  ],
  ['', /15 or newer/],
])('a store may not be on %j', (version, problem) => {
  expect(serverProblem(version)).toMatch(problem);
});
