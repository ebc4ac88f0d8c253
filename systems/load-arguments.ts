import { parseArgs } from 'node:util';
import { applicationLines, applicationNamed, type Applications, commandOf, numberFrom } from './find-applications.ts';
import type { Application } from './http/start-options.ts';

const KILLS_MAX = 100;

export function usageOf(applications: Applications): string {
  return `Usage: ${commandOf(applications, { many: 'load', one: 'run load' })} [options]

Many callers at once act on an application over HTTP: each acts again as soon as it has its answer. Ends with the figures of each
action, and checks in the stored items what must hold. The exit code is 1 if an action failed or a check did.

${applicationLines(applications)}

  --callers N      callers at the same time (16)
  --seconds N      how long (10); Ctrl-C ends it earlier, with the figures so far
  --scale N        how much sample data the application begins with
  --seed N         of the callers' choices (1)
  --kills N        kills the application so often meanwhile, as a loss of power would, and starts it again; callers repeat what had no answer (0)
  --url URL        an application that is served already, at this --scale; its stored items are not checked
  --help           this text

Without --url, callers, application and database share this machine: the figures compare two runs, not two machines.`;
}

export interface LoadCommand {
  /** As on the command line: absent where there is one application only. */
  readonly name: string | undefined;
  readonly application: Application;
  readonly callers: number;
  readonly seconds: number;
  readonly scale: number;
  readonly seed: number;
  readonly kills: number;
  readonly url: string | undefined;
}

/**
 * @returns undefined if only help was requested
 * @throws {RangeError | TypeError} for words that are not the command's; the message says why
 */
export async function readArguments(words: readonly string[]): Promise<LoadCommand | undefined> {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      callers: { type: 'string', default: '16' },
      seconds: { type: 'string', default: '10' },
      scale: { type: 'string' },
      seed: { type: 'string', default: '1' },
      kills: { type: 'string', default: '0' },
      url: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const application = await applicationNamed(positionals);
  const callers = numberFrom('--callers', values.callers, [1, 1000]);
  if (!Number.isInteger(callers)) throw new RangeError('--callers takes a whole number');
  const kills = numberFrom('--kills', values.kills, [0, KILLS_MAX]);
  if (!Number.isInteger(kills)) throw new RangeError('--kills takes a whole number');
  if (kills > 0 && values.url !== undefined) throw new RangeError('--url and --kills exclude each other');
  if (values.url !== undefined && !URL.canParse(values.url)) throw new RangeError('--url takes an address');
  return {
    name: positionals[0],
    application,
    kills,
    callers,
    seconds: numberFrom('--seconds', values.seconds, [0.1, 600]),
    scale: values.scale === undefined ? application.usualScale : numberFrom('--scale', values.scale, [0.0001, 10]),
    seed: numberFrom('--seed', values.seed, [0, 2 ** 32 - 1]),
    url: values.url?.replace(/\/$/, ''),
  };
}
