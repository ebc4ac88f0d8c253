const pollMs = 250;

/**
 * Calls `stop` when the npx that started this command has ended.
 *
 * npx runs a command by a shell, and passes a signal on to that shell alone. A shell that dies of it leaves the command behind, which would
 * keep its port and its directory. Scripts (`npm run`) are excluded: one may leave a server in the background on purpose.
 */
export function endWithNpx(stop: () => void): void {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script = '' } = process.env;
  if (event !== 'npx' || !/\bsinglet\b/.test(script)) return;
  // Node.js does not tell a process that its parent has ended.
  const parent = process.ppid;
  const poll = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(poll);
    stop();
  }, pollMs);
  poll.unref();
}
