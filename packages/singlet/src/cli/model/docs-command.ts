import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { Command, Option } from 'commander';
import { makeDirectories } from '../../transfer/buckets/index.ts';
import { errorOutput } from '../error-output.ts';
import { UsageError } from '../usage-error.ts';
import { loadModel } from './load-models.ts';

interface DocsFlags {
  readonly model?: string;
  readonly format?: 'markdown' | 'html';
  readonly out?: string;
  readonly check?: boolean;
}

const examples = `
Examples:
  $ singlet docs shop.model.ts > shop.md
  $ singlet docs shop.model.ts --out docs/shop.html
  $ singlet docs shop.model.ts --out docs/shop.md --check     fails if the file is out of date`;

export function docsCommand(): Command {
  return new Command('docs')
    .summary('write the documentation of a model')
    .description(
      'Writes documentation: entity chart, access patterns, diagram, every index with sample items, capacity and cost.',
    )
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet docs --help'))
    .argument('<model>', 'a file that exports a model')
    .option('--model <name>', 'name of the model, if the file exports several')
    .addOption(new Option('--format <format>', 'by default from the extension of --out').choices(['markdown', 'html']))
    .option('-o, --out <file>', 'where to write it; by default standard output')
    .option('--check', 'write nothing, and fail if the file differs')
    .addHelpText('after', examples)
    .action(async (path: string, flags: DocsFlags) => {
      const { model } = await loadModel(path, flags.model);
      const { documentation } = await import('@singlet/model/docs');
      const format = flags.format ?? (extname(flags.out ?? '') === '.html' ? 'html' : 'markdown');
      const text = documentation(model, format);
      if (flags.out === undefined) {
        process.stdout.write(text);
      } else if (flags.check === true) {
        if (present(flags.out) !== text)
          throw new UsageError(
            `${flags.out} is not up to date: write it with singlet docs ${path} --out ${flags.out}.`,
          );
      } else {
        await makeDirectories(dirname(flags.out));
        writeFileSync(flags.out, text);
      }
    });
}

function present(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // missing, so not up to date either
  }
}
