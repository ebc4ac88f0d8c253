import { join } from 'node:path';
import { Command } from 'commander';
import { errorOutput } from './error-output.ts';
import { serveCommand } from './serve-command.ts';
import { UsageError } from './usage-error.ts';

/*
 * The command line of DynamoDB Local, as in its usage notes, for existing scripts and compose files. It starts `singlet serve`.
 */

/** How long tables and indexes remain in CREATING, UPDATING and DELETING with -delayTransientStatuses. */
const lifecycleDelayMs = 2000;

const examples = `
Examples:
  $ singlet local -inMemory -sharedDb -port 8000
  $ singlet local -sharedDb -dbPath ./data
  $ singlet local -Djava.library.path=./DynamoDBLocal_lib -jar DynamoDBLocal.jar -sharedDb

Flags, and their equivalents in singlet serve:
  -port <number>            --port
  -inMemory                 --memory --one-region
  -sharedDb                 --one-region: clients of all regions share the tables
  -dbPath <directory>       --data DIRECTORY/singlet-data; does not read files of DynamoDB Local
  -cors <origins>           --cors: origins with their scheme, separated by commas; by default pages of this machine only
  -delayTransientStatuses   --lifecycle-delay ${lifecycleDelayMs}
  -optimizeDbBeforeStartup  no effect: there is no file to optimize
  -disableTelemetry         no effect: there is no telemetry

-D… and -jar … of Java are ignored. Access keys do not separate data; regions do, without -sharedDb. The server
listens on 127.0.0.1 only. See singlet serve --help for everything else.`;

export function localCommand(): Command {
  return new Command('local')
    .summary('serve, with the flags of DynamoDB Local')
    .description('Serves a database over the DynamoDB protocol, with the flags of DynamoDB Local.')
    .usage('[flags of DynamoDB Local]')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet local --help'))
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText('after', examples)
    .action(async (_: unknown, command: Command) => {
      if (command.args.includes('-help')) return command.help();
      const { serve, notes } = serveFlagsOf(command.args);
      for (const note of notes) process.stderr.write(`singlet local: ${note}\n`);
      await serveCommand().parseAsync([...serve], { from: 'user' });
    });
}

/** The arguments for `singlet serve`, and notes for the user on flags that have no effect. */
export interface TranslatedFlags {
  readonly serve: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Translates flags of DynamoDB Local.
 *
 * @param flags - of its command line, including those of Java.
 * @throws {UsageError} for an unknown flag, one without its value, and combinations that DynamoDB Local refuses.
 */
export function serveFlagsOf(flags: readonly string[]): TranslatedFlags {
  const given = new Map<string, string>();
  for (let at = 0; at < flags.length; at += 1) {
    const flag = flags[at] as string;
    if (flag.startsWith('-D')) continue;
    if (!Object.hasOwn(takesValue, flag)) throw new UsageError(`DynamoDB Local has no flag ${flag}.`);
    const value = takesValue[flag] === true ? flags[++at] : '';
    if (value === undefined) throw new UsageError(`${flag} needs a value.`);
    given.set(flag, value);
  }
  if (given.has('-inMemory') && given.has('-dbPath'))
    throw new UsageError('-inMemory keeps nothing, so it cannot be used with -dbPath.');
  if (given.has('-optimizeDbBeforeStartup') && !given.has('-dbPath'))
    throw new UsageError('-optimizeDbBeforeStartup needs -dbPath.');
  return {
    serve: [...given].flatMap(([flag, value]) => meaningOf(flag, value)),
    notes: Object.entries(withoutEffect).flatMap(([flag, why]) => (given.has(flag) ? [`${flag}: ${why}`] : [])),
  };
}

/** The flags, and whether each takes a value. */
const takesValue: Readonly<Record<string, boolean>> = {
  '-jar': true,
  '-port': true,
  '-cors': true,
  '-dbPath': true,
  '-inMemory': false,
  '-sharedDb': false,
  '-delayTransientStatuses': false,
  '-optimizeDbBeforeStartup': false,
  '-disableTelemetry': false,
};

const withoutEffect: Readonly<Record<string, string>> = {
  '-optimizeDbBeforeStartup': 'there is no file that would have to be optimized',
  '-disableTelemetry': 'there is no telemetry',
};

function meaningOf(flag: string, value: string): readonly string[] {
  switch (flag) {
    case '-port':
      return ['--port', value];
    case '-cors':
      return value.split(',').flatMap((origin) => ['--cors', origin.trim()]);
    case '-dbPath':
      return ['--data', join(value, 'singlet-data')];
    case '-inMemory':
      return ['--memory', '--one-region'];
    case '-sharedDb':
      return ['--one-region'];
    case '-delayTransientStatuses':
      return ['--lifecycle-delay', String(lifecycleDelayMs)];
    default:
      return [];
  }
}
