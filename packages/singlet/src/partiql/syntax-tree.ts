/**
 * The syntax tree of PartiQL statements. As in the language itself, everything is an expression: a statement may be
 * wherever a value may be (that is how EXISTS takes its SELECT), and later checks refuse what makes no sense.
 *
 * Parentheses are visible only in the shape of the tree. Nodes are immutable and shared: parsed trees are cached by text.
 */

/** A run of the statement: first character, and the one after the last, in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

interface Node extends Span {
  /** The token that error texts point at: for a call its name, for a path its first name, for a sum its operator. */
  readonly head: Span;
}

// Values

export type ConstantNode =
  | (Node & { readonly kind: 'string'; readonly value: string })
  /** The text as written, with a leading `-` if there was an odd number of minus signs. */
  | (Node & { readonly kind: 'number'; readonly text: string })
  | (Node & { readonly kind: 'boolean'; readonly value: boolean })
  | (Node & { readonly kind: 'null' | 'missing' });

/** A `?`, with its index among all of them, from 0. */
export interface ParameterNode extends Node {
  readonly kind: 'parameter';
  readonly position: number;
}

/** `[…]`, also written `(…, …)`, and `<<…>>`. */
export interface SequenceNode extends Node {
  readonly kind: 'list' | 'bag';
  readonly elements: readonly ExpressionNode[];
}

export interface StructNode extends Node {
  readonly kind: 'struct';
  readonly members: readonly { readonly key: ExpressionNode; readonly value: ExpressionNode }[];
}

// Names

export interface PathNode extends Node {
  readonly kind: 'path';
  readonly root: string;
  readonly elements: readonly PathElementNode[];
}

export type PathElementNode = Span &
  (
    | { readonly kind: 'name'; readonly name: string }
    /** `[…]`: in a document path a non-negative number, or a string. */
    | { readonly kind: 'index'; readonly index: ExpressionNode }
    /** `.*` or `[*]`. */
    | { readonly kind: 'wildcard' }
  );

// Operations

export interface CallNode extends Node {
  readonly kind: 'call';
  /** In lower case: function names are case-insensitive. */
  readonly functionName: string;
  readonly operands: readonly ExpressionNode[];
  /** `COUNT(*)`. */
  readonly ofAll: boolean;
}

export interface UnaryNode extends Node {
  readonly kind: 'unary';
  readonly operator: '+' | '-' | 'not';
  readonly operand: ExpressionNode;
}

export type BinaryOperator =
  '=' | '<>' | '<' | '<=' | '>' | '>=' | 'and' | 'or' | 'in' | 'like' | '+' | '-' | '*' | '/' | '%' | '||';

/** Operators of equal precedence associate to the left. `NOT IN` and `NOT LIKE` are `negated`. */
export interface BinaryNode extends Node {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  readonly left: ExpressionNode;
  readonly right: ExpressionNode;
  readonly negated: boolean;
}

export interface BetweenNode extends Node {
  readonly kind: 'between';
  readonly operand: ExpressionNode;
  readonly lower: ExpressionNode;
  readonly upper: ExpressionNode;
  readonly negated: boolean;
}

/** `x IS STRING`, `x IS NOT MISSING`. */
export interface IsNode extends Node {
  readonly kind: 'is';
  readonly operand: ExpressionNode;
  /** By its PartiQL name: `boolean` for BOOL. */
  readonly typeName: string;
  readonly negated: boolean;
}

// Statements

export interface SelectNode extends Node {
  readonly kind: 'select';
  /** DISTINCT, VALUE: parsed, and refused later. */
  readonly modifier: 'distinct' | 'value' | undefined;
  /** Undefined for `*`. */
  readonly columns: readonly ColumnNode[] | undefined;
  readonly from: SourceNode;
  /** Whether there were more sources than the first. */
  readonly joined: boolean;
  readonly where: ExpressionNode | undefined;
  readonly orderBy: readonly OrderNode[] | undefined;
  /** Clauses that are parsed, and refused later, with the token of each. */
  readonly unsupported: readonly { readonly clause: 'GROUP BY' | 'HAVING' | 'LIMIT' | 'OFFSET'; readonly at: Span }[];
}

export interface ColumnNode {
  readonly expression: ExpressionNode;
  readonly aliased: boolean;
}

export interface SourceNode {
  readonly expression: ExpressionNode;
  readonly aliased: boolean;
}

export interface OrderNode {
  readonly expression: ExpressionNode;
  /** Undefined when neither ASC nor DESC was written. */
  readonly direction: 'asc' | 'desc' | undefined;
}

export interface InsertNode extends Node {
  readonly kind: 'insert';
  readonly target: PathNode;
  /** If the word VALUE is missing, a list or bag of items was given, which is parsed, and refused later. */
  readonly form: 'value' | 'values';
  readonly value: ExpressionNode;
  readonly returning: ReturningNode | undefined;
}

export interface UpdateNode extends Node {
  readonly kind: 'update';
  /** `UPDATE t SET … WHERE …` or `FROM t WHERE … SET …`. */
  readonly form: 'update' | 'from';
  readonly source: SourceNode;
  readonly actions: readonly ActionNode[];
  readonly where: ExpressionNode | undefined;
  readonly returning: ReturningNode | undefined;
}

export type ActionNode =
  | { readonly kind: 'set'; readonly path: PathNode; readonly value: ExpressionNode }
  | { readonly kind: 'remove'; readonly path: PathNode };

export interface DeleteNode extends Node {
  readonly kind: 'delete';
  readonly source: SourceNode;
  readonly where: ExpressionNode | undefined;
  readonly returning: ReturningNode | undefined;
}

export interface ReturningNode {
  readonly which: 'all' | 'modified';
  readonly version: 'old' | 'new';
}

export type StatementNode = SelectNode | InsertNode | UpdateNode | DeleteNode;

export type ExpressionNode =
  | ConstantNode
  | ParameterNode
  | SequenceNode
  | StructNode
  | PathNode
  | CallNode
  | UnaryNode
  | BinaryNode
  | BetweenNode
  | IsNode
  | StatementNode;

/** A whole statement, as parsed. */
export interface ParsedStatement {
  readonly text: string;
  readonly root: ExpressionNode;
  /** How many `?` it has. */
  readonly parameterCount: number;
}
