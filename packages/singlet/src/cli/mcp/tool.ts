import { UsageError } from '../usage-error.ts';

/** A tool that an assistant can call. Decision 0098 explains the choice of tools. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, object>>;
    readonly required?: string[];
    readonly additionalProperties: false;
  };
  /** Whether it leaves all tables unchanged. */
  readonly isReadOnly: boolean;
  readonly run: (input: ToolInput, signal: AbortSignal) => Promise<unknown>;
}

/** The arguments of a call, which are untrusted and may have any type. */
export class ToolInput {
  readonly #values: Readonly<Record<string, unknown>>;

  /** @throws {UsageError} if there is an argument that the tool does not have. */
  constructor({ inputSchema, name }: Tool, values: Readonly<Record<string, unknown>>) {
    const unknown = Object.keys(values).filter((key) => !Object.hasOwn(inputSchema.properties, key));
    if (unknown.length > 0) {
      const known = Object.keys(inputSchema.properties).join(', ');
      throw new UsageError(`${name} has no argument ${unknown.join(', ')}; it has ${known === '' ? 'none' : known}.`);
    }
    this.#values = values;
  }

  /** @throws {UsageError} if it is missing, or not text. */
  text(name: string): string {
    const value = this.optionalText(name);
    if (value === undefined) throw new UsageError(`The argument ${name} is missing.`);
    return value;
  }

  /** @throws {UsageError} if it is not text. */
  optionalText(name: string): string | undefined {
    const value = this.#values[name];
    if (value !== undefined && typeof value !== 'string') throw new UsageError(`The argument ${name} is not a string.`);
    return value;
  }

  /** @throws {UsageError} if it is not a whole number within the range. */
  wholeNumber(name: string, { least, most, usual }: Readonly<Record<'least' | 'most' | 'usual', number>>): number {
    const value = this.#values[name] ?? usual;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    throw new UsageError(`The argument ${name} is not a whole number from ${least} to ${most}.`);
  }

  /** @throws {UsageError} if it is neither true nor false. */
  flag(name: string): boolean {
    const value = this.#values[name] ?? false;
    if (typeof value !== 'boolean') throw new UsageError(`The argument ${name} is neither true nor false.`);
    return value;
  }

  /** Of any type; the model checks it. */
  value(name: string): unknown {
    return this.#values[name];
  }
}
