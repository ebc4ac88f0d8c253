/** Why a write can be rejected. */
export type RuleCode =
  'already-exists' | 'not-found' | 'not-unique' | 'parent-missing' | 'condition-failed' | 'stale-version' | 'busy';

/** One rejected part of a write. */
export interface RuleFailure {
  /** The rule that rejected the write. */
  readonly code: RuleCode;
  /** The entity whose rule it is. */
  readonly entity: string;
  /** The attribute that is not unique. */
  readonly attribute?: string;
  /** The part of the transaction. */
  readonly part?: string;
  /** The existing item, if there is one, as the application sees it. */
  readonly item?: Readonly<Record<string, unknown>>;
}

const words: Readonly<Record<RuleCode, string>> = {
  'already-exists': 'exists already',
  'not-found': 'does not exist',
  'not-unique': 'shares a unique value with another',
  'parent-missing': 'is needed and does not exist',
  'condition-failed': 'does not meet the condition',
  'stale-version': 'was changed by someone else',
  busy: 'is being written by someone else',
};

/** A write that was rejected. Nothing of it was written. The first failure is the error's own; all are in `failures`. */
export class RuleError extends Error {
  override readonly name: string = 'RuleError';
  declare readonly code: RuleCode;
  declare readonly entity: string;
  declare readonly attribute: string | undefined;
  declare readonly part: string | undefined;
  declare readonly item: Readonly<Record<string, unknown>> | undefined;
  declare readonly failures: readonly RuleFailure[];

  constructor(pattern: string, failures: readonly [RuleFailure, ...RuleFailure[]], cause?: unknown) {
    super(`${pattern}: ${failures.map(sentence).join('; ')}`, cause === undefined ? {} : { cause });
    Object.assign(this, failures[0], { failures });
  }
}

function sentence({ code, entity, attribute, part }: RuleFailure): string {
  const where = part === undefined ? '' : ` (${part})`;
  return `${entity}${attribute === undefined ? '' : `.${attribute}`}${where} ${words[code]}`;
}

/** A stored item that the model does not expect where it was found. */
export class UnexpectedItemError extends Error {
  override readonly name: string = 'UnexpectedItemError';
  /** The value of the type attribute, if the item has one. */
  declare readonly type: string | undefined;
  declare readonly key: Readonly<Record<string, unknown>>;

  constructor(pattern: string, type: string | undefined, key: Readonly<Record<string, unknown>>) {
    super(`${pattern}: an item ${type === undefined ? 'without a type' : `of type "${type}"`} was not expected`);
    this.type = type;
    this.key = key;
  }
}

/** Keys or items that the service left unprocessed after many attempts. */
export class UnprocessedError extends Error {
  override readonly name: string = 'UnprocessedError';
  declare readonly count: number;

  constructor(pattern: string, count: number) {
    super(`${pattern}: ${count} left unprocessed; the table cannot keep up`);
    this.count = count;
  }
}
