import { describe, expect, test } from 'vitest';
import { localDate, localDay, NoSuchDayError } from './local-day.ts';

describe('local days', () => {
  test.each([
    ['UTC', '2024-05-14T00:00:00.000Z', '2024-05-15T00:00:00.000Z'],
    ['Etc/GMT+9', '2024-05-14T09:00:00.000Z', '2024-05-15T09:00:00.000Z'], // the database writes west as +
    ['Asia/Kolkata', '2024-05-13T18:30:00.000Z', '2024-05-14T18:30:00.000Z'],
  ])('2024-05-14 in %s', (timeZone, from, before) => {
    expect(localDay('2024-05-14', timeZone)).toEqual({ from, before });
  });

  test('have 23 and 25 hours where the clocks are changed', () => {
    expect(localDay('2024-03-31', 'Europe/Berlin')).toEqual({
      from: '2024-03-30T23:00:00.000Z',
      before: '2024-03-31T22:00:00.000Z',
    });
    expect(localDay('2024-10-27', 'Europe/Berlin')).toEqual({
      from: '2024-10-26T22:00:00.000Z',
      before: '2024-10-27T23:00:00.000Z',
    });
  });

  test('an instant has different dates in different places', () => {
    const atMs = Date.parse('2024-05-14T08:59:59Z');
    expect(localDate(atMs, 'Etc/GMT+9')).toBe('2024-05-13');
    expect(localDate(atMs, 'UTC')).toBe('2024-05-14');
  });

  test.each(['14/05/2024', '2024-13-01', ''])('%j is not a day', (date) => {
    expect(() => localDay(date, 'UTC')).toThrow(NoSuchDayError);
  });

  test('a time zone that is not known is refused', () => {
    expect(() => localDay('2024-05-14', 'Mars/Olympus')).toThrow(RangeError);
  });
});
