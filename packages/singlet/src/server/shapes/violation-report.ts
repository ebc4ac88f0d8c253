import { ValidationException } from '../../values/service-error.ts';
import type { Constraint } from './constraint.ts';
import { renderValue } from './render-value.ts';
import type { ShapeNode } from './shape.ts';

/** The path of a value, as messages spell it: `requestItems.t.member.keys` and `RequestItems.t.member.Keys`. */
export interface Path {
  readonly echoed: string;
  readonly unechoed: string;
}

export interface Problem {
  readonly text: string;
  readonly alone?: 'envelope' | 'plain' | undefined;
  /** Reported only when nothing else is wrong. */
  readonly last?: boolean;
}

/** The service lists no more than this. */
const problemsMax = 10;

/** The problems of a request, in the words of one of the service's two layers. */
export class ViolationReport {
  readonly #problems: Problem[] = [];
  readonly #layer: 'newer' | 'older';

  constructor(layer: 'newer' | 'older') {
    this.#layer = layer;
  }

  /** Whether further problems would not be listed. */
  get isFull(): boolean {
    return this.#problems.length >= problemsMax;
  }

  add(problem: Problem): void {
    this.#problems.push(problem);
  }

  /** Adds the constraints that a value violates. */
  addViolated(shape: ShapeNode, constraints: readonly Constraint[], value: unknown, path: Path): void {
    for (const constraint of constraints) {
      if (constraint.holds(value)) continue;
      const wording = this.#layer === 'older' ? (constraint.older ?? constraint) : constraint;
      this.add({ text: violationText(shape, wording, value, path), alone: wording.alone });
    }
  }

  /** The error with all problems, or only the one that is reported alone. */
  toError(): ValidationException {
    const first = this.#problems.filter((problem) => problem.last !== true);
    const problems = first.length > 0 ? first : this.#problems;
    const lonely = problems.find((problem) => problem.alone !== undefined);
    if (lonely?.alone === 'plain') return new ValidationException(lonely.text);
    const listed = lonely === undefined ? problems.slice(0, problemsMax) : [lonely];
    const texts = listed.map((problem) => problem.text).join('; ');
    return new ValidationException(
      `${listed.length} validation error${listed.length > 1 ? 's' : ''} detected: ${texts}`,
    );
  }
}

function violationText(shape: ShapeNode, constraint: Constraint, value: unknown, path: Path): string {
  switch (constraint.wording) {
    case 'echoed':
      return `Value '${renderValue(shape, value)}' at '${path.echoed}' failed to satisfy constraint: ${constraint.text}`;
    case 'unechoed':
      return `Value at '${path.unechoed}' failed to satisfy constraint: ${constraint.text}`;
    case 'verbatim':
      return constraint.text;
  }
}
