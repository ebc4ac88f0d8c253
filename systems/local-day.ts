/** A day as an interval of time: from its first instant to just before the first of the next day. ISO-8601, UTC, with milliseconds. */
export interface DayInterval {
  readonly from: string;
  readonly before: string;
}

export class NoSuchDayError extends RangeError {
  override readonly name = 'NoSuchDayError';

  constructor(date: string) {
    super(`${JSON.stringify(date)} is not a date of the form 2024-05-14`);
  }
}

const DAY_MS = 86_400_000;

/**
 * The interval of time that a date covers in a time zone.
 *
 * @param date - `2024-05-14`.
 * @param timeZone - a name of the time zone database, such as `America/Anchorage`.
 * @throws {NoSuchDayError} if `date` is invalid, `RangeError` for an unknown time zone.
 */
export function localDay(date: string, timeZone: string): DayInterval {
  const midnightMs = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(midnightMs)) {
    throw new NoSuchDayError(date);
  }
  return {
    from: localMidnight(midnightMs, timeZone),
    before: localMidnight(midnightMs + DAY_MS, timeZone),
  };
}

/** The date in a time zone at an instant, as `2024-05-14`. */
export function localDate(atMs: number, timeZone: string): string {
  return new Date(atMs + offsetMs(atMs, timeZone)).toISOString().slice(0, 10);
}

/** The instant at which clocks in the zone show what a clock in UTC shows at `midnightMs`. */
function localMidnight(midnightMs: number, timeZone: string): string {
  // The offset must be that of the instant itself. The first guess is wrong if clocks change in that night.
  const guessMs = midnightMs - offsetMs(midnightMs, timeZone);
  return new Date(midnightMs - offsetMs(guessMs, timeZone)).toISOString();
}

/** How far clocks in the zone are ahead of UTC. */
function offsetMs(atMs: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(atMs);
  const text = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(text) ?? [];
  const aheadMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -aheadMs : aheadMs;
}
