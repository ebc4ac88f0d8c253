import { createInterface } from 'node:readline/promises';
import { Problem } from './problem.ts';
import type { Template } from './templates.ts';

/** The terminal on which questions are asked. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/**
 * Asks for an application by its number or name until the answer is valid.
 *
 * @throws {@link Problem} if the input ends.
 */
export async function askForTemplate(templates: readonly Template[], terminal: Terminal): Promise<Template> {
  const { output } = terminal;
  output.write(
    templates.map(({ name, summary }, at) => `${String(at + 1).padStart(2)}  ${name}\n    ${summary}\n`).join(''),
  );
  const questions = createInterface({ ...terminal, terminal: false });
  try {
    output.write('Which application, by number or name? ');
    for await (const line of questions) {
      const answer = line.trim();
      const found = templates.find(({ name }, at) => answer === name || answer === String(at + 1));
      if (found !== undefined) return found;
      output.write(`A number from 1 to ${templates.length}, or a name: `);
    }
  } finally {
    questions.close();
  }
  throw new Problem('No application was chosen');
}
