import { createRequire } from 'node:module';
import { basename, extname, resolve } from 'node:path';
import { Command } from 'commander';
import { errorOutput } from '../error-output.ts';
import { UsageError } from '../usage-error.ts';
import { starterModel } from './starter-model.ts';
import { writeOutput } from './write-output.ts';

const examples = `
Examples:
  $ singlet init                       writes shop.model.ts
  $ singlet init src/orders.model.ts

The model has two entities and six patterns, and passes singlet check. Change it section by section: entities and patterns first, keys last.
Its schemas need zod: npm i zod @singlet/model. An existing file is not overwritten.`;

export function initCommand(): Command {
  return new Command('init')
    .summary('write a model to start from')
    .description('Writes a small commented model that passes every check, as a start for your own.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet init --help'))
    .argument('[file]', 'the file to write', 'shop.model.ts')
    .addHelpText('after', examples)
    .action(async (file: string) => {
      await writeOutput(starterModel(modelName(file)), file, { replace: false });
      process.stdout.write(`${file}\n\nNext: ${missingPackages(file)}npx singlet check ${file} --watch\n`);
    });
}

/** The command that installs what the model imports, unless it is there. */
function missingPackages(file: string): string {
  const { resolve: find } = createRequire(resolve(file));
  const missing = ['zod', '@singlet/model'].filter((name) => {
    try {
      return find(name) === undefined;
    } catch {
      return true;
    }
  });
  return missing.length === 0 ? '' : `npm i ${missing.join(' ')}, then `;
}

/** `src/orders.model.ts` contains the model `orders`. */
function modelName(file: string): string {
  if (!['.ts', '.mts'].includes(extname(file)))
    throw new UsageError(`${file} is not a TypeScript file: name it orders.model.ts, for example.`);
  const name = basename(file).replace(/(\.model)?\.m?ts$/, '');
  const quoted = JSON.stringify(name);
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) {
    throw new UsageError(
      `The model would be called ${quoted}, which cannot be the name of a constant: name the file by letters and digits, such as orders2.model.ts.`,
    );
  }
  if (namesOfStarter.has(name))
    throw new UsageError(
      `The model would be called ${quoted}, and the file needs that name for something else: name it orders.model.ts, for example.`,
    );
  if (reservedWords.has(name))
    throw new UsageError(
      `The model would be called ${quoted}, a reserved word of JavaScript: name the file orders.model.ts, for example.`,
    );
  return name;
}

/** What the starter model imports and declares. */
const namesOfStarter: ReadonlySet<string> = new Set(['entity', 'model', 'z', 'id', 'email']);

/** Words that no constant of a module can be called. */
const reservedWords: ReadonlySet<string> = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function
  if implements import in instanceof interface let new null package private protected public return static super switch this throw true
  try typeof var void while with yield`.split(/\s+/),
);
