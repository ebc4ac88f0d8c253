import { expect, test } from 'vitest';
import { longUtcText, shortUtcText, streamLabel } from './utc-text.ts';

const eleven = Date.UTC(2026, 9, 8, 23, 20, 48, 7);
const midnight = Date.UTC(2019, 1, 3);

test('DB-255 the label of a stream', () => {
  expect(streamLabel(eleven)).toBe('2026-10-08T23:20:48.007');
  expect(streamLabel(midnight)).toBe('2019-02-03T00:00:00.000');
});

test('DB-106 points in time as the service writes them out', () => {
  expect(longUtcText(eleven)).toBe('Thursday, October 8, 2026 at 11:20:48 PM Coordinated Universal Time');
  expect(longUtcText(midnight)).toBe('Sunday, February 3, 2019 at 12:00:00 AM Coordinated Universal Time');
});

test('DB-104 points in time in short', () => {
  expect(shortUtcText(eleven)).toBe('Thu Oct 08 23:20:48 UTC 2026');
  expect(shortUtcText(midnight)).toBe('Sun Feb 03 00:00:00 UTC 2019');
});
