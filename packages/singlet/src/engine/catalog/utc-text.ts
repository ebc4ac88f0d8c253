/*
 * Times in the service's formats. `Intl` formats a given number of milliseconds, so the engine needs
 * no clock for this.
 */

const parts = new Intl.DateTimeFormat('en-US', {
  timeZone: 'UTC',
  weekday: 'short',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  hourCycle: 'h23',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});

const shortMonth = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', month: 'short' });

const full = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', dateStyle: 'full', timeStyle: 'full' });

/** `2015-05-11T21:21:33.291`: the label of a stream that was switched on then. */
export function streamLabel(ms: number): string {
  const { year, month, day, time, fractionalSecond } = partsOf(ms);
  return `${year}-${month}-${day}T${time}.${fractionalSecond}`;
}

/** The time of a stream's label; undefined for a text that is not a label. */
export function msOfStreamLabel(label: string): number | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3})$/.exec(label);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, millisecond = 0] = match.slice(1).map(Number);
  const ms = (((daysBefore(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1000 + millisecond;
  return streamLabel(ms) === label ? ms : undefined;
}

/** Days from 1970-01-01 to a date of the Gregorian calendar. */
function daysBefore(year: number, month: number, day: number): number {
  // Years are counted from March, so that the leap day is the last of its year.
  const marchYear = month > 2 ? year : year - 1;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  const daysSinceMarch = Math.floor((153 * ((month + 9) % 12) + 2) / 5);
  return 365 * marchYear + leapDays + daysSinceMarch + day - 1 - daysToMarchYear1970;
}

/** Days from the March of year 0 to 1970-01-01. */
const daysToMarchYear1970 = 719_468;

/** `Sat Feb 23 03:07:45 UTC 2019`. */
export function shortUtcText(ms: number): string {
  const { weekday, day, time, year } = partsOf(ms);
  return `${weekday} ${shortMonth.format(ms)} ${day} ${time} UTC ${year}`;
}

/** `Thursday, October 8, 2026 at 11:20:48 PM Coordinated Universal Time`. */
export function longUtcText(ms: number): string {
  // Newer Unicode data puts a narrow no-break space before AM and PM.
  return full.format(ms).replaceAll('\u202f', ' ');
}

function partsOf(ms: number): Record<'weekday' | 'year' | 'month' | 'day' | 'time' | 'fractionalSecond', string> {
  const found = new Map(parts.formatToParts(ms).map(({ type, value }) => [type as string, value]));
  const part = (name: string): string => found.get(name) ?? '';
  return {
    weekday: part('weekday'),
    year: part('year').padStart(4, '0'),
    month: part('month'),
    day: part('day'),
    time: `${part('hour')}:${part('minute')}:${part('second')}`,
    fractionalSecond: part('fractionalSecond'),
  };
}
