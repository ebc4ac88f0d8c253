import { relative, resolve } from 'node:path';
import { readArguments, USAGE } from './arguments.ts';
import { askForTemplate, type Terminal } from './ask.ts';
import { createApplication } from './create.ts';
import { Problem } from './problem.ts';
import { readTemplates, type Template } from './templates.ts';

/** The environment in which the command runs. */
export interface Surroundings {
  readonly args: readonly string[];
  readonly workingDirectory: string;
  /** The folder with the applications. */
  readonly templates: URL;
  /** Absent if the command does not run interactively. */
  readonly terminal: Terminal | undefined;
  readonly say: (text: string) => void;
  readonly complain: (text: string) => void;
}

/** @returns the exit code: 1 for a problem that the user can fix. */
export async function run(surroundings: Surroundings): Promise<number> {
  try {
    surroundings.say(await answerTo(surroundings));
    return 0;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    surroundings.complain(`create-singlet: ${error.message}.\n`);
    return 1;
  }
}

async function answerTo({ args, workingDirectory, templates: folder, terminal }: Surroundings): Promise<string> {
  const { template: name, directory, list, help } = readArguments(args);
  if (help) return USAGE;
  const templates = await readTemplates(folder);
  if (list) return templates.map((each) => `${each.name}\n    ${each.summary}\n`).join('');
  const template = await chosen(templates, name, terminal);
  const target = resolve(workingDirectory, directory ?? template.name);
  await createApplication(new URL(`${template.name}/`, folder), target);
  const path = relative(workingDirectory, target);
  const enter = path === '' ? '' : `  cd ${/^[\w./-]+$/.test(path) ? path : JSON.stringify(path)}\n`;
  return `The application ${template.name} is in ${target}. Start it:\n\n${enter}  npm install\n  npm start\n\nnpm test runs its tests; README.md tells the rest.\n`;
}

async function chosen(
  templates: readonly Template[],
  name: string | undefined,
  terminal: Terminal | undefined,
): Promise<Template> {
  const names = templates.map((each) => each.name).join(', ');
  if (name === undefined) {
    if (terminal === undefined) throw new Problem(`Name an application with --template: ${names}`);
    return await askForTemplate(templates, terminal);
  }
  const found = templates.find((each) => each.name === name);
  if (found === undefined) throw new Problem(`There is no application ${JSON.stringify(name)}. There are: ${names}`);
  return found;
}
