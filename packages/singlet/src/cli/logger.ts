import { inspect } from 'node:util';
import type { EngineLogEvent } from '../engine/index.ts';
import { DeliveryError } from './delivery-error.ts';
import { StorageError, type StorageErrorCode } from '../storage/storage-error.ts';

export type LogLevel = EngineLogEvent['level'];
export type LogFormat = 'text' | 'json';

export const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
export const logFormats: readonly LogFormat[] = ['text', 'json'];

/**
 * A structured log, one event per line: as JSON for machines, or as `time level event key=value…` for people.
 *
 * @param write - called with one line, including its end.
 */
export function createLogger(options: {
  /** The minimum level that is written; a function is called for each event. */
  readonly level: LogLevel | (() => LogLevel);
  readonly format: LogFormat;
  readonly nowMs: () => number;
  readonly write: (line: string) => void;
}): (event: EngineLogEvent) => void {
  const { level } = options;
  const present = typeof level === 'function' ? level : (): LogLevel => level;
  const print = options.format === 'json' ? jsonLine : textLine;
  return (event) => {
    if (logLevels.indexOf(event.level) < logLevels.indexOf(present())) return;
    options.write(`${print(new Date(options.nowMs()).toISOString(), event)}\n`);
  };
}

function jsonLine(time: string, { level, event, ...details }: EngineLogEvent): string {
  const fields = Object.entries(details).map(([name, value]) => [name, printable(value)]);
  return JSON.stringify({ time, level, event, ...Object.fromEntries(fields) });
}

function textLine(time: string, { level, event, ...details }: EngineLogEvent): string {
  const present = Object.entries(details).filter(([, value]) => value !== undefined);
  const fields = present.map(([name, value]) => `${name}=${fieldText(printable(value))}`);
  return [time, level.padEnd(5), event, ...fields].join(' ');
}

function fieldText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /[\s"=]/.test(text) ? JSON.stringify(text) : text;
}

/** What a disk, a connection or another program does: the message says it, and a stack would say nothing. An outage has many such lines. */
function isOperating(value: unknown): value is Error {
  return value instanceof DeliveryError || (value instanceof StorageError && operating.has(value.code));
}

const operating: ReadonlySet<StorageErrorCode> = new Set<StorageErrorCode>([
  'io',
  'busy',
  'unknown-outcome',
  'conflict',
]);

/**
 * The value if it can be printed as JSON, and otherwise a text: for an error with its stack and cause, except operating errors, and for values that JSON cannot
 * represent.
 */
function printable(value: unknown): unknown {
  if (isOperating(value)) return `${value.name}: ${value.message}`;
  if (value instanceof Error) return inspect(value);
  if (typeof value !== 'object') return typeof value === 'bigint' ? String(value) : value;
  try {
    JSON.stringify(value);
    return value;
  } catch {
    // Circular, or a number too large. Logging a value must never fail.
    return inspect(value);
  }
}
