import { StsError } from './sts-error.ts';

/** The maximum number of parameters of a request: fifty tags take two hundred. */
const parametersMax = 1000;

/** The parameters of a request in the query protocol: `Action=AssumeRole&Version=…&Tags.member.1.Key=…`. */
export class QueryRequest {
  readonly #parameters: ReadonlyMap<string, string>;

  /** @throws {StsError} MalformedInput if the body is not a form or is too large. */
  constructor(body: Uint8Array) {
    const parameters = new Map<string, string>();
    for (const [name, value] of new URLSearchParams(Buffer.from(body).toString('utf8'))) {
      if (parameters.has(name)) throw new StsError('MalformedInput', `${name} occurs twice`);
      if (parameters.size >= parametersMax)
        throw new StsError('MalformedInput', `More than ${parametersMax} parameters`);
      parameters.set(name, value);
    }
    this.#parameters = parameters;
  }

  get(name: string): string | undefined {
    return this.#parameters.get(name);
  }

  /** The members of a list of texts: `NAME.member.1`, `NAME.member.2`, … */
  list(name: string): readonly string[] {
    const values: string[] = [];
    for (let at = 1; ; at += 1) {
      const value = this.get(`${name}.member.${at}`);
      if (value === undefined) return values;
      values.push(value);
    }
  }

  /** The members of a list of structures; an absent field is undefined. */
  structures<F extends string>(name: string, fields: readonly F[]): readonly Readonly<Record<F, string | undefined>>[] {
    const values: Readonly<Record<F, string | undefined>>[] = [];
    for (let at = 1; ; at += 1) {
      const entries = fields.map((field) => [field, this.get(`${name}.member.${at}.${field}`)] as const);
      if (entries.every(([, value]) => value === undefined)) return values;
      values.push(Object.fromEntries(entries) as Record<F, string | undefined>); // of these fields
    }
  }

  /** Whether the name of a parameter has this prefix. */
  has(prefix: string): boolean {
    return [...this.#parameters.keys()].some((name) => name.startsWith(prefix));
  }
}
