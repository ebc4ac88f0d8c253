import { Command, type CommanderError } from 'commander';
import { StorageError } from '../storage/index.ts';
import { commands } from './commands.ts';
import { errorOutput } from './error-output.ts';
import { watchOutput } from './output.ts';
import { TemplateError } from '../templates/template-error.ts';
import { systemProblem } from './system-problem.ts';
import { UsageError } from './usage-error.ts';
import { version } from './version.ts';
import { MissingPackageError, missingPackage } from '../values/missing-package.ts';

// The SDK's warnings about versions of Node are for people who install it; here they would appear within the output.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

const program: Command = new Command('singlet')
  .description('Singlet: the DynamoDB you own.')
  .version(version, '-v, --version', 'print the version')
  .helpOption('-h, --help', 'print this help')
  .helpCommand(false)
  .configureOutput(errorOutput('singlet --help'))
  .addHelpText('after', '\nsinglet serve --help explains what the server takes and does.');

const [name = ''] = process.argv.slice(2);
/** The exit code of a wrong call. The doctor's codes below 3 say what it has found. */
const misuseExitCode = name === 'doctor' ? 3 : 1;
const called = Object.hasOwn(commands, name) ? commands[name] : undefined;

/** A function, because the command as one file (scripts/single-file.mjs) cannot await at its top. */
async function run(): Promise<void> {
  for (const load of called === undefined ? Object.values(commands) : [called])
    program.addCommand((await load(version)).exitOverride(end));
  try {
    await program.parseAsync();
  } catch (error) {
    const missing = error instanceof MissingPackageError ? error : missingPackage(`singlet ${name}`, error);
    const isSentence = [UsageError, StorageError, TemplateError].some((known) => error instanceof known);
    const problem = missing?.message ?? (isSentence ? (error as Error).message : systemProblem(error));
    if (problem === undefined) throw error;
    process.stderr.write(`singlet: ${problem}\n`);
    process.exitCode = misuseExitCode;
  }
}

function end({ exitCode }: CommanderError): never {
  process.exit(exitCode === 0 ? 0 : misuseExitCode);
}

watchOutput();
void run();
