/**
 * Runs the built `singlet` again and again in one process: starting Node and loading the program takes most of a short command's CPU time. The
 * program finds the arguments, the environment and the working directory of a process of its own. A command has ended when nothing keeps the event
 * loop busy, as a process would have.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const program = new URL('../dist/cli/main.js', import.meta.url);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const { cache } = createRequire(import.meta.url);
const [directory, environment] = [process.cwd(), { ...process.env }];

/** Thrown where the program ends the process. */
const exit = new Error('the program has ended the process');
/** The command that runs, if one does. */
let running;
let count = 0;
/** Those of this host, by event. */
let kept;

for (const name of ['stdout', 'stderr']) {
  process[name].setMaxListeners(0); // each command adds its own
  process[name].write = (chunk, encoding, callback = encoding) => {
    if (running?.hasExited === false) running[name] += Buffer.from(chunk).toString();
    if (typeof callback === 'function') queueMicrotask(callback);
    return true;
  };
}
const { exit: endProcess } = process;
process.exit = (code = process.exitCode) => {
  if (!running.hasExited) process.exitCode = code;
  running.hasExited = true;
  throw exit;
};
process.on('uncaughtException', (error) => {
  if (error === exit) return;
  process.stderr.write(`${error?.stack ?? String(error)}\n`);
  process.exitCode = 1;
});

// The tests have ended, perhaps while a command runs.
process.on('disconnect', () => endProcess());

process.on('message', ({ args, cwd, env }) => {
  kept ??= listeners();
  running = { stdout: '', stderr: '', hasExited: false };
  process.argv = [process.argv[0], fileURLToPath(program), ...args];
  replaceEnvironment(env);
  process.chdir(cwd);
  process.channel.unref();
  count += 1;
  void import(`${program.href}?run=${count}`);
});

process.on('beforeExit', () => {
  if (!process.connected) return;
  const { stdout, stderr } = running;
  const end = { code: process.exitCode ?? 0, stdout, stderr };
  running = undefined;
  process.exitCode = undefined;
  process.chdir(directory);
  replaceEnvironment(environment);
  forgetListeners();
  forgetFiles();
  process.channel.ref();
  process.send(end);
});

function listeners() {
  return new Map(process.eventNames().map((name) => [name, process.listeners(name)]));
}

function forgetListeners() {
  for (const [name, added] of listeners()) {
    for (const listener of added) if (kept.get(name)?.includes(listener) !== true) process.off(name, listener);
  }
}

/** Tests write models again under the same name. The sources of the packages stay as they are. */
function forgetFiles() {
  for (const path of Object.keys(cache)) if (!path.startsWith(root)) delete cache[path];
}

function replaceEnvironment(env) {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}
