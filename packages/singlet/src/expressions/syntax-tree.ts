import type { Comparator } from './lexer.ts';

/**
 * The one syntax tree of all five expression languages. It keeps parentheses (as group nodes), so that printing a tree
 * and parsing the text gives the same tree, and the position of each node in the text. Nodes are immutable and shared:
 * parsed trees are cached.
 */
interface Node {
  /** Position of the first character, and of the one after the last, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

// Operands

export interface PathNode extends Node {
  readonly kind: 'path';
  readonly elements: readonly PathElementNode[];
}

export type PathElementNode =
  /** A name as written. */
  | { readonly kind: 'attribute'; readonly name: string }
  /** A placeholder, including `#`. */
  | { readonly kind: 'placeholder'; readonly name: string }
  /** A position in a list, as digits: it may be too long for a number. */
  | { readonly kind: 'index'; readonly digits: string };

/** A value placeholder, including `:`. */
export interface ValueNode extends Node {
  readonly kind: 'value';
  readonly name: string;
}

export interface CallNode extends Node {
  readonly kind: 'call';
  readonly functionName: string;
  readonly operands: readonly OperandNode[];
}

/** A construct in parentheses: an operand, a condition or a sum, whichever its place allows. */
export interface GroupNode extends Node {
  readonly kind: 'group';
  readonly inner: TermNode;
}

export type OperandNode = PathNode | ValueNode | CallNode | GroupNode;

// Conditions

export interface ComparisonNode extends Node {
  readonly kind: 'comparison';
  readonly comparator: Comparator;
  readonly left: OperandNode;
  readonly right: OperandNode;
}

export interface BetweenNode extends Node {
  readonly kind: 'between';
  readonly operand: OperandNode;
  readonly lower: OperandNode;
  readonly upper: OperandNode;
}

export interface InNode extends Node {
  readonly kind: 'in';
  readonly operand: OperandNode;
  readonly candidates: readonly OperandNode[];
}

export interface NotNode extends Node {
  readonly kind: 'not';
  readonly inner: ConditionNode;
}

/** AND and OR associate to the left: `a AND b AND c` is `(a AND b) AND c`. */
export interface LogicalNode extends Node {
  readonly kind: 'and' | 'or';
  readonly left: ConditionNode;
  readonly right: ConditionNode;
}

export type ConditionNode = ComparisonNode | BetweenNode | InNode | CallNode | NotNode | LogicalNode | GroupNode;

// Updates

export interface ArithmeticNode extends Node {
  readonly kind: 'arithmetic';
  readonly operator: '+' | '-';
  readonly left: OperandNode;
  readonly right: OperandNode;
}

/** The right side of `=` in SET. */
export type SetValueNode = OperandNode | ArithmeticNode;

export type ActionNode =
  | (Node & { readonly kind: 'set'; readonly path: PathNode; readonly value: SetValueNode })
  | (Node & { readonly kind: 'remove'; readonly path: PathNode })
  | (Node & { readonly kind: 'add' | 'delete'; readonly path: PathNode; readonly value: ValueNode });

export type UpdateVerb = 'SET' | 'REMOVE' | 'ADD' | 'DELETE';

export interface SectionNode extends Node {
  readonly kind: 'section';
  readonly verb: UpdateVerb;
  readonly actions: readonly ActionNode[];
}

// Whole expressions

export interface UpdateNode extends Node {
  readonly kind: 'update';
  readonly sections: readonly SectionNode[];
}

export interface ProjectionNode extends Node {
  readonly kind: 'projection';
  readonly paths: readonly PathNode[];
}

/** Nodes that can be in parentheses. */
export type TermNode = OperandNode | ConditionNode | ArithmeticNode;

export type ExpressionTree = ConditionNode | UpdateNode | ProjectionNode;

/** A term without the parentheses around it. */
export function ungroup(node: TermNode): Exclude<TermNode, GroupNode> {
  let inner = node;
  while (inner.kind === 'group') inner = inner.inner;
  return inner;
}
