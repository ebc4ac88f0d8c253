// `npm run check`. Checking the format takes longer than any other check, on one core, so it runs beside them. Its output follows theirs, whichever
// fails.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

const others = ['types', 'lint', 'knip', 'packages'];

/** Starts a script of package.json. @returns whether it succeeds, and what it prints unless that is shown at once. */
function started(script, stdio) {
  const child = spawn('npm', ['run', '--silent', script], {
    stdio: ['ignore', stdio, stdio],
    shell: process.platform === 'win32',
  });
  const ended = new Promise((resolve, reject) =>
    child.once('error', reject).once('close', (code) => resolve(code === 0)),
  );
  const printed = stdio === 'pipe' ? Promise.all([text(child.stdout), text(child.stderr)]) : Promise.resolve([]);
  return Promise.all([ended, printed]);
}

const format = started('format:check', 'pipe');
let failed;
for (const script of others) {
  const [succeeded] = await started(script, 'inherit');
  if (!succeeded) {
    failed = script;
    break;
  }
}
const [isFormatted, printed] = await format;
process.stdout.write(printed.join(''));
if (!isFormatted) failed ??= 'format:check';
if (failed !== undefined) {
  process.stderr.write(`npm run ${failed} failed.\n`);
  process.exitCode = 1;
}
