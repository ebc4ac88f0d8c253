import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** An interpreter that has a package, and the package's version. */
export interface Python {
  readonly command: string;
  readonly version: string;
}

/** The interpreter in the path, and that of the system, whose packages come from the distribution: each with another version of the package. */
export function pythonsWith(packageName: string): readonly Python[] {
  const byVersion = new Map<string, Python>();
  for (const command of ['python3', '/usr/bin/python3']) {
    const source = `import ${packageName}; print(${packageName}.__version__)`;
    const { status, stdout } = spawnSync(command, ['-c', source], { encoding: 'utf8' });
    const version = stdout?.trim() ?? '';
    if (status === 0 && !byVersion.has(version)) byVersion.set(version, { command, version });
  }
  return [...byVersion.values()];
}

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  /** The code of the service's error, or the name of the library's. */
  readonly error?: string;
}

/** A program in Python, beside this file: it reads calls as lines of JSON, and answers each with a line. */
export class PythonProgram {
  readonly #python: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #stderr = '';
  #count = 0;

  constructor({ command }: Python, file: string, settings: object, environment: NodeJS.ProcessEnv = {}) {
    const program = fileURLToPath(new URL(file, import.meta.url));
    this.#python = spawn(command, [program, JSON.stringify(settings)], { env: { ...process.env, ...environment } });
    this.#python.stderr.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    createInterface({ input: this.#python.stdout }).on('line', (line) => this.#read(line));
    this.#python.once('close', () => this.#fail(`Python ended: ${this.#stderr}`));
  }

  async call(name: string, ...args: readonly unknown[]): Promise<unknown> {
    const id = (this.#count += 1);
    return await new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#python.stdin.write(`${JSON.stringify({ id, name, args })}\n`);
    });
  }

  #read(line: string): void {
    try {
      this.#settle(JSON.parse(line) as Answer);
    } catch {
      this.#fail(`Python answered ${line}`);
    }
  }

  #fail(message: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(message));
    this.#waiting.clear();
  }

  #settle({ id, value, error }: Answer): void {
    const call = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) call?.resolve(value);
    else call?.reject(new Error(error));
  }

  close(): void {
    this.#python.stdin.end();
  }
}
