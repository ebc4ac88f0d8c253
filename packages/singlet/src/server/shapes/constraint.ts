/**
 * Constraints on decoded members and the texts with which the service refuses them.
 *
 * The service is in the middle of replacing its validation layer (since June 2026), and texts of both layers appear next
 * to each other in one message. A constraint therefore has one of these wordings:
 *
 * | wording     | text |
 * |-------------|------|
 * | `echoed`    | `Value 'x' at 'tableName' failed to satisfy constraint: Member must ...` |
 * | `unechoed`  | `Value at 'TableName' failed to satisfy constraint: Member must ...` |
 * | `verbatim`  | the constraint's own text, alone |
 *
 * A few requests make an action of the newer layer answer as the older one did (see `older` in `shape.ts`); a constraint
 * with wordings in both has `older`.
 */
export interface Constraint {
  /** Whether a value of the right JSON type is acceptable. */
  readonly holds: (json: unknown) => boolean;
  /** `Member must ...`, or the whole text when the wording is `verbatim`. */
  readonly text: string;
  readonly wording: 'echoed' | 'unechoed' | 'verbatim';
  /**
   * A violation hides all other problems of the request and is reported on its own: `'envelope'` with the usual
   * `1 validation error detected: ` before it, `'plain'` without.
   */
  readonly alone?: 'envelope' | 'plain';
  /** The constraint in the wording of the older layer, if that differs. */
  readonly older?: Constraint;
}

/** The length of a member as Java counts it: UTF-16 units of a string, entries of a list or map. */
function lengthOf(json: unknown): number {
  if (typeof json === 'string') return json.length;
  if (Array.isArray(json)) return json.length;
  return Object.keys(json as object).length;
}

export function lengthAtLeast(minimum: number): Constraint {
  return {
    holds: (json) => lengthOf(json) >= minimum,
    text: `Member must have length greater than or equal to ${minimum}`,
    wording: 'echoed',
  };
}

export function lengthAtMost(maximum: number): Constraint {
  return {
    holds: (json) => lengthOf(json) <= maximum,
    text: `Member must have length less than or equal to ${maximum}`,
    wording: 'echoed',
  };
}

export function valueAtLeast(minimum: number): Constraint {
  return {
    holds: (json) => (json as number) >= minimum,
    text: `Member must have value greater than or equal to ${minimum}`,
    wording: 'echoed',
  };
}

export function valueAtMost(maximum: number): Constraint {
  return {
    holds: (json) => (json as number) <= maximum,
    text: `Member must have value less than or equal to ${maximum}`,
    wording: 'echoed',
  };
}

/** The text lists the set in the given order, which is the service's and not alphabetical. */
export function oneOf(values: readonly string[]): Constraint {
  const allowed = new Set(values);
  return {
    holds: (json) => allowed.has(json as string),
    text: `Member must satisfy enum value set: [${values.join(', ')}]`,
    wording: 'echoed',
  };
}

/** A name of a table or index: letters, digits, `_`, `-`, `.`. An empty name is left to the length constraint. */
export const namePattern: Constraint = {
  holds: (json) => /^[a-zA-Z0-9_.-]*$/.test(json as string),
  text: 'Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+',
  wording: 'echoed',
};

/** The same constraint in the wording of the newer layer: no echo, and the path as it is spelled on the wire. */
export function unechoed(constraint: Constraint): Constraint {
  return { ...constraint, wording: 'unechoed', older: constraint };
}

/** The same constraint with its own text in the newer layer. */
export function worded(constraint: Constraint, text: string): Constraint {
  return { ...constraint, text, wording: 'verbatim', older: constraint };
}

/** The same constraint, reported on its own. */
export function alone(constraint: Constraint): Constraint {
  return { ...constraint, alone: 'envelope', older: constraint.older ?? constraint };
}

/** The same constraint, reported on its own, by its own text and nothing before it. */
export function plain(constraint: Constraint, text: string): Constraint {
  return { ...constraint, text, wording: 'verbatim', alone: 'plain' };
}
