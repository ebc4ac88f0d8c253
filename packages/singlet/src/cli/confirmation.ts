import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

/**
 * Asks for confirmation on the terminal. Without a terminal it does not ask, and the answer is yes.
 *
 * @returns whether the answer is yes. Ctrl-C, Ctrl-D and the end of the input are a no.
 */
export async function isConfirmed(
  input: NodeJS.ReadableStream & { readonly isTTY?: boolean },
  output: NodeJS.WritableStream & { readonly isTTY?: boolean },
): Promise<boolean> {
  if (input.isTTY !== true || output.isTTY !== true) return true;
  const terminal = createInterface({ input, output, terminal: true });
  // Ctrl-C and Ctrl-D close the interface; whether they also reject the question depends on the version of Node.
  const closed = once(terminal, 'close').then(() => undefined);
  try {
    const answer = await Promise.race([terminal.question('Do it? [y/N] ').catch(() => undefined), closed]);
    if (answer === undefined) output.write('\n');
    return answer !== undefined && /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
