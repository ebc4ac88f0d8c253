import { basename, join, relative, resolve, sep } from 'node:path';
import { Command } from 'commander';
import { errorOutput } from '../error-output.ts';
import { loadModel } from './load-models.ts';
import { writeOutput } from './write-output.ts';

interface GenerateFlags {
  readonly model?: string;
  readonly out: string;
  readonly import?: string;
}

const examples = `
Examples:
  $ singlet generate shop.model.ts --out src/generated
  $ singlet generate shop.model.ts --out src/generated --import ../dist/shop.model.js    for a compiled model`;

export function generateCommand(): Command {
  return new Command('generate')
    .summary('write out the types of a model, without inference')
    .description('Writes a module with the patterns of a model, typed by plain interfaces without inference.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet generate --help'))
    .argument('<model>', 'a file that exports a model')
    .requiredOption('-o, --out <directory>', 'where to write NAME.js and NAME.d.ts')
    .option('--model <name>', 'name of the model, if the file exports several')
    .option('--import <module>', 'module specifier for the model; by default the file')
    .addHelpText('after', examples)
    .action(async (path: string, flags: GenerateFlags) => {
      const { name, model, file } = await loadModel(path, flags.model);
      const { generateClient } = await import('@singlet/model/bridges');
      const { js, types } = generateClient(model, { model: flags.import ?? moduleOf(file, flags.out), exported: name });
      const stem = join(flags.out, basename(file).replace(/(\.model)?\.m?[jt]s$/, ''));
      await writeOutput(js, `${stem}.js`, { replace: true });
      await writeOutput(types, `${stem}.d.ts`, { replace: true });
      process.stdout.write(`${stem}.js\n${stem}.d.ts\n`);
    });
}

/** The specifier by which a module in the directory imports the file. */
function moduleOf(file: string, directory: string): string {
  const path = relative(resolve(directory), resolve(file)).split(sep).join('/');
  return path.startsWith('.') ? path : `./${path}`;
}
