import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { BenchError } from './bench-error.ts';

/** The `node` arguments of each server. All print a line with their port when they accept requests. */

export function httpFloorArguments(bodyFile?: string): string[] {
  const file = fileURLToPath(new URL('./floor-http-server.js', import.meta.url));
  return bodyFile === undefined ? [file] : [file, bodyFile];
}

/** @param directory - LevelDB on disk; without it, everything in memory. */
export async function dynaliteArguments(directory?: string): Promise<string[]> {
  const file = fileURLToPath(import.meta.resolve('dynalite/cli.js'));
  // Port 0 is "no port given" to dynalite, which then takes its usual one: a free port has to be named.
  const port = String(await freePort());
  const always = [file, '--host', '127.0.0.1', '--port', port, '--createTableMs', '0', '--deleteTableMs', '0'];
  return directory === undefined ? always : [...always, '--path', directory];
}

/**
 * @param directory - data on disk; without it, `--memory`.
 * @throws {BenchError} `missing` when the command is not built.
 */
export function singletArguments(directory?: string): string[] {
  const file = fileURLToPath(new URL('../../packages/singlet/dist/cli/main.js', import.meta.url));
  if (!existsSync(file)) {
    throw new BenchError('missing', `Singlet's command is not built (npm run build): there is no ${file}`);
  }
  const place = directory === undefined ? ['--memory'] : ['--data', directory];
  return [file, 'serve', '--port', '0', ...place];
}

async function freePort(): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      // A TCP server that listens has an address of this form.
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
