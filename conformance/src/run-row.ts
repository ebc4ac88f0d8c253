import { differences, Matcher, messageDifferences, render } from './matchers.ts';
import type { Difference } from './matchers.ts';
import type { Capability, CheckContext, Expectation, ExpectedError, JsonObject, RequestStep, Row } from './row.ts';
import type { Target } from './targets.ts';
import type { Reply } from './transport.ts';

export interface RunOptions {
  /** Capabilities that the endpoint lacks. */
  readonly without?: readonly Capability[];
  /** How long to wait for effects that DynamoDB makes visible after a moment. */
  readonly patienceMs?: number;
}

/** A row that failed: which step, what was sent, and how the answer differed. */
export class RowFailure extends Error {
  constructor(row: Row, step: string, found: readonly Difference[]) {
    const lines = found.map(
      ({ path, expected, actual }) => `    ${path}\n      expected ${expected}\n      actual   ${actual}`,
    );
    super([`${row.id} (${row.covers.join(', ')}; ${row.source})`, `  ${step}`, ...lines].join('\n'));
    this.name = 'RowFailure';
  }
}

/** Whether an endpoint can be reached. */
export function applies(row: Row, target: Target, options: RunOptions = {}): boolean {
  if (row.needs.includes('clock') && target.advanceClock === undefined) return false;
  if (row.needs.includes('sweep') && target.sweepExpiredItems === undefined) return false;
  if (row.needs.includes('encryption') && !target.encryptsAtRest) return false;
  if (row.needs.includes('regions') && !target.servesAllRegions) return false;
  return !row.needs.some((capability) => options.without?.includes(capability));
}

/**
 * Creates the tables of a row, runs its steps, and removes the tables again.
 *
 * @throws {RowFailure} when the answer to a step is not as expected.
 */
export async function runRow(row: Row, target: Target, options: RunOptions = {}): Promise<void> {
  const run = new RowRun(row, target, options);
  try {
    await run.setUp();
    for (const [index, step] of row.steps.entries()) {
      const place = `step ${index + 1} of ${row.steps.length}`;
      if (step.kind === 'check') await run.check(step.name, step.run, place);
      else await run.request(step, place);
    }
  } finally {
    await run.cleanUp();
  }
}

class RowRun {
  readonly #row: Row;
  readonly #target: Target;
  readonly #patienceMs: number;
  /** The values of `$T`, `$arn` and so on. */
  readonly #names = new Map<string, string>();

  constructor(row: Row, target: Target, options: RunOptions) {
    this.#row = row;
    this.#target = target;
    this.#patienceMs = options.patienceMs ?? 20_000;
    const suffix = uniqueSuffix();
    for (const letter of TABLE_LETTERS) this.#names.set(letter, `conf-${suffix}-${letter}`);
  }

  async setUp(): Promise<void> {
    const letters = Object.keys(this.#row.tables);
    for (const letter of letters)
      await this.#succeed('CreateTable', { TableName: `$${letter}`, ...this.#row.tables[letter] });
    for (const letter of letters) await this.#untilActive(letter);
    for (const [letter, items] of Object.entries(this.#row.items)) {
      for (const item of items) await this.#succeed('PutItem', { TableName: `$${letter}`, Item: item });
    }
  }

  /** Removes every table that may have been created. Waits for tables that are still being created. */
  async cleanUp(): Promise<void> {
    for (const letter of this.#lettersUsed()) {
      const deadline = Date.now() + this.#patienceMs;
      for (;;) {
        const answer = await this.#send('DeleteTable', { TableName: `$${letter}` });
        if (errorName(answer) !== 'ResourceInUseException' || Date.now() > deadline) break;
        await pause(20);
      }
    }
  }

  async request(step: RequestStep, place: string): Promise<void> {
    const expectation = this.#fill(step.expect) as Expectation;
    const deadline = Date.now() + (step.eventually ? this.#patienceMs : 0);
    for (;;) {
      const answer = await this.#send(step.action, step.input, step.wire);
      const found = expectationDifferences(expectation, answer);
      if (found.length === 0) {
        this.#save(step, answer, place);
        return;
      }
      if (Date.now() >= deadline) {
        throw new RowFailure(this.#row, `${place}: ${step.action} ${render(this.#fill(step.input))}`, found);
      }
      await pause(10);
    }
  }

  async check(name: string, run: (context: CheckContext) => Promise<void>, place: string): Promise<void> {
    await run({
      tableName: (letter) => this.#name(letter),
      send: (action, input, wire) => this.#send(action, input, wire),
      succeed: (action, input) => this.#succeed(action, input),
      expect: (what, actual, expected) => {
        const found = differences(this.#fill(expected), actual);
        if (found.length > 0) throw new RowFailure(this.#row, `${place}: ${name}: ${what}`, found);
      },
      advanceClock: (milliseconds) => this.#target.advanceClock?.(milliseconds),
      sweepExpiredItems: async () => {
        await this.#target.sweepExpiredItems?.();
      },
    });
  }

  #save(step: RequestStep, answer: Reply, place: string): void {
    for (const [name, path] of Object.entries(step.saves)) {
      const value = path
        .split('.')
        .reduce<unknown>((at, member) => (at as JsonObject | undefined)?.[member], answer.body);
      if (typeof value !== 'string') {
        throw new RowFailure(this.#row, place, [{ path, expected: 'a text to save', actual: render(value) }]);
      }
      this.#names.set(name, value);
    }
  }

  async #succeed(action: string, input: JsonObject): Promise<JsonObject> {
    const answer = await this.#send(action, input);
    if (answer.status === 200) return (answer.body ?? {}) as JsonObject;
    const step = `${action} ${render(this.#fill(input))} must succeed`;
    throw new RowFailure(this.#row, step, [{ path: '(body)', expected: 'success', actual: render(answer.body) }]);
  }

  async #untilActive(letter: string): Promise<void> {
    const deadline = Date.now() + Math.max(this.#patienceMs, 60_000);
    for (;;) {
      const { Table } = (await this.#succeed('DescribeTable', { TableName: `$${letter}` })) as { Table: TableState };
      const indexes = Table.GlobalSecondaryIndexes ?? [];
      if (Table.TableStatus === 'ACTIVE' && indexes.every((index) => index.IndexStatus === 'ACTIVE')) return;
      if (Date.now() > deadline) {
        const found = [{ path: 'TableStatus', expected: 'ACTIVE', actual: render(Table) }];
        throw new RowFailure(this.#row, 'waiting for the table', found);
      }
      await pause(5);
    }
  }

  async #send(action: string, input: JsonObject | string, wire: RequestStep['wire'] = {}): Promise<Reply> {
    return await this.#target.transport.request(
      action,
      this.#fill(input) as JsonObject | string,
      this.#fill(wire) as RequestStep['wire'],
    );
  }

  /** A copy with `$T`, `$arn` and so on replaced by names, in texts, member names and matchers. */
  #fill(value: unknown): unknown {
    if (typeof value === 'string') return this.#fillText(value);
    if (value instanceof Matcher) return new Matcher(value.kind, this.#fill(value.operand));
    if (Array.isArray(value)) return value.map((element) => this.#fill(element));
    if (typeof value !== 'object' || value === null || value instanceof RegExp) return value;
    const filled: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value)) {
      Object.defineProperty(filled, this.#fillText(name), {
        value: this.#fill(member),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return filled;
  }

  #fillText(text: string): string {
    if (!text.includes('$')) return text;
    return text.replaceAll(/\$([A-Za-z]+)/g, (whole, name: string) => this.#names.get(name) ?? whole);
  }

  #name(letter: string): string {
    return this.#names.get(letter) ?? letter;
  }

  /** The letters that occur anywhere in the row, including those of tables that its steps create. */
  #lettersUsed(): readonly string[] {
    const programs = this.#row.steps.map((step) => (step.kind === 'check' ? String(step.run) : ''));
    const texts = JSON.stringify([this.#row.tables, this.#row.steps, programs]);
    return TABLE_LETTERS.filter((letter) => letter in this.#row.tables || texts.includes(`$${letter}`));
  }
}

const TABLE_LETTERS = ['T', 'U', 'V'];

interface TableState {
  readonly TableStatus: string;
  readonly GlobalSecondaryIndexes?: readonly { readonly IndexStatus: string }[];
}

function expectationDifferences(expectation: Expectation, answer: Reply): readonly Difference[] {
  switch (expectation.kind) {
    case 'response':
      if (answer.status !== 200)
        return [{ path: 'status', expected: '200', actual: `${answer.status} ${render(answer.body)}` }];
      return differences(expectation.body, answer.body);
    case 'error':
      return errorDifferences(expectation.error, answer);
    case 'any-of': {
      const found = expectation.alternatives.map((alternative) => expectationDifferences(alternative, answer));
      return found.some((one) => one.length === 0) ? [] : found.flat();
    }
    default: {
      const unknownKind: never = expectation;
      return [{ path: '(row)', expected: 'an expectation', actual: render(unknownKind) }];
    }
  }
}

function errorDifferences(expected: ExpectedError, answer: Reply): readonly Difference[] {
  const name = errorName(answer);
  if (answer.status !== expected.status || name !== expected.name) {
    const wanted = `${expected.status} ${expected.name}: ${render(expected.message)}`;
    return [{ path: 'error', expected: wanted, actual: `${answer.status} ${render(answer.body)}` }];
  }
  // SerializationException and the errors of the front end write `Message`, the others `message`.
  const { __type: _type, message, Message, ...members } = answer.body as JsonObject;
  return [...messageDifferences(expected.message, message ?? Message), ...differences(expected.members, members)];
}

/** The name after `#` in `__type`, or undefined when the answer is not an error. */
function errorName(answer: Reply): string | undefined {
  if (typeof answer.body !== 'object' || answer.body === null) return undefined;
  const type = (answer.body as JsonObject)['__type'];
  return typeof type === 'string' ? type.slice(type.indexOf('#') + 1) : undefined;
}

let rowsRun = 0;
const runStarted = Date.now().toString(36);

function uniqueSuffix(): string {
  rowsRun++;
  return `${runStarted}-${process.pid.toString(36)}-${rowsRun.toString(36)}`;
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
