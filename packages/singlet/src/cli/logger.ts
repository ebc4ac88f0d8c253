import { inspect } from 'node:util';
import type { EngineLogEvent } from '../engine/index.ts';

export type LogLevel = EngineLogEvent['level'];
export type LogFormat = 'text' | 'json';

export const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
export const logFormats: readonly LogFormat[] = ['text', 'json'];

/**
 * A structured log, one event a line: as JSON for machines, or as `time level event key=value…` for people.
 *
 * @param write - given one line with its line end.
 */
export function createLogger(options: {
  /** The least level that is written; a function is asked at each event. */
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
  const fields = Object.entries(details).map(([name, value]) => `${name}=${fieldText(printable(value))}`);
  return [time, level.padEnd(5), event, ...fields].join(' ');
}

function fieldText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /[\s"=]/.test(text) ? JSON.stringify(text) : text;
}

/** The value if it can be printed as JSON; else a text: an error with its stack and cause, and what JSON does not know. */
function printable(value: unknown): unknown {
  if (value instanceof Error) return inspect(value);
  if (typeof value !== 'object') return typeof value === 'bigint' ? String(value) : value;
  try {
    JSON.stringify(value);
    return value;
  } catch {
    // A circle, or a number too big: what is logged must never stop the log.
    return inspect(value);
  }
}
