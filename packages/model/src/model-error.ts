/** A fault in a model's declaration. `path` names the place, such as `keys.Order.GSI1`. */
export interface ModelProblem {
  /** Stable, for tools. */
  readonly code: string;
  /** The place in the model, such as `served.openOrders`. */
  readonly path: string;
  /** What is wrong there, in a sentence. */
  readonly message: string;
}

/** A model that cannot be run as declared. `problems` has every fault found, not only the first. */
export class ModelError extends Error {
  override readonly name: string = 'ModelError';
  declare readonly problems: readonly ModelProblem[];

  constructor(problems: readonly ModelProblem[]) {
    super(problems.map(({ path, message }) => `${path}: ${message}`).join('\n'));
    this.problems = problems;
  }
}

/** Input that a key or a schema rejects before any request is sent. `path` names the entity and attribute. */
export class InputError extends Error {
  override readonly name: string = 'InputError';
  declare readonly code: string;
  declare readonly path: string;

  constructor(code: string, path: string, message: string) {
    super(`${path}: ${message}`);
    this.code = code;
    this.path = path;
  }
}
