import { invalidExpression, redundantParentheses } from './expression-problem.ts';
import type { Comparator, Token } from './lexer.ts';
import { parsePath } from './parse-path.ts';
import {
  type ArithmeticNode,
  type ConditionNode,
  type InNode,
  type OperandNode,
  type SetValueNode,
  type TermNode,
  ungroup,
} from './syntax-tree.ts';
import type { TokenReader } from './token-reader.ts';

/**
 * Parses conditions, and the right sides of SET, with its own stack instead of recursion: 4 KB of `(` or of `f(` go
 * 4,000 levels deep, which the call stack of the host might not.
 *
 * A `(` may open a condition, an operand or a sum, and which one is known only later: `(a) = :b` and `(a = :b)`. So the
 * contents of parentheses are parsed as the most that their place allows, and their actual kind decides what may follow. A token is
 * refused as soon as no expression could continue with it, which is where the service reports its syntax errors.
 *
 * Precedence, from the tightest: comparisons and functions, NOT, AND, OR.
 */
export class TermParser {
  readonly #reader: TokenReader;
  #frames: Frame[] = [];
  #operatorCount = 0;

  constructor(reader: TokenReader) {
    this.#reader = reader;
  }

  /** Operators read so far: comparisons, BETWEEN, IN, AND, OR, NOT, `+` and `-`; neither functions nor parentheses. */
  get operatorCount(): number {
    return this.#operatorCount;
  }

  /** A condition, up to the first token that is not part of it. */
  parseCondition(): ConditionNode {
    return this.#parse('condition') as ConditionNode; // the root frame lets no other term end
  }

  /** An operand or the sum or difference of two, up to the first token that is not part of it. */
  parseSetValue(): SetValueNode {
    return this.#parse('set-value') as SetValueNode; // as above
  }

  #parse(accepts: Accepts): TermNode {
    this.#frames = [newFrame({ kind: 'root' }, accepts, this.#reader.next.start)];
    for (;;) {
      let term: TermNode | undefined = this.#readOperand();
      while (term !== undefined) {
        const frame = this.#frame();
        const whole = this.#completePending(frame, term);
        if (whole === undefined || this.#readOperator(frame, whole)) break;
        if (frame.place.kind === 'root') return this.#endRoot(frame, whole);
        term = this.#close(frame, whole);
      }
    }
  }

  #frame(): Frame {
    return this.#frames[this.#frames.length - 1] as Frame; // the root frame stays until the end
  }

  /** Opens everything that precedes the next operand, and reads that operand. */
  #readOperand(): OperandNode {
    const reader = this.#reader;
    for (;;) {
      const frame = this.#frame();
      const { type, start, end, text } = reader.next;
      if (type === 'NOT' && frame.accepts === 'condition' && frame.pending === undefined) {
        this.#operatorCount += 1;
        frame.nots.push(reader.take());
      } else if (type === '(') {
        reader.take();
        this.#frames.push(newFrame({ kind: 'group' }, frame.pending ? 'operand' : frame.accepts, start));
      } else if (type === 'identifier' && reader.afterNext.type === '(') {
        reader.take();
        reader.take();
        this.#frames.push(newFrame({ kind: 'call', functionName: text, operands: [] }, 'operand', start));
      } else if (type === 'identifier' || type === 'name') {
        return parsePath(reader);
      } else if (type === 'value') {
        reader.take();
        return { kind: 'value', name: text, start, end };
      } else {
        throw reader.syntaxError();
      }
    }
  }

  /**
   * Joins an operand with the pending operator. Undefined when the operator is BETWEEN and the operand was its
   * lower bound: then another operand must follow.
   */
  #completePending(frame: Frame, term: TermNode): TermNode | undefined {
    const { pending } = frame;
    if (pending === undefined) return term;
    const right = term as OperandNode; // with an operator pending, nothing but operands is read
    const { left } = pending;
    const { start } = left;
    const { end } = right;
    switch (pending.kind) {
      case 'comparison':
        frame.pending = undefined;
        return { kind: 'comparison', comparator: pending.comparator, left, right, start, end };
      case 'arithmetic':
        frame.pending = undefined;
        return { kind: 'arithmetic', operator: pending.operator, left, right, start, end };
      case 'between':
        if (pending.lower === undefined) {
          this.#reader.expect('AND');
          frame.pending = { ...pending, lower: right };
          return undefined;
        }
        frame.pending = undefined;
        return { kind: 'between', operand: left, lower: pending.lower, upper: right, start, end };
    }
  }

  /** Reads an operator after a term, if a valid one follows. Then another operand must follow. */
  #readOperator(frame: Frame, term: TermNode): boolean {
    return (
      (frame.accepts === 'condition' && canBeCondition(term) && this.#readLogical(frame, term as ConditionNode)) ||
      (frame.accepts === 'condition' && canBeOperand(term) && this.#readComparison(frame, term as OperandNode)) ||
      (frame.accepts === 'set-value' && canBeOperand(term) && this.#readArithmetic(frame, term as OperandNode)) ||
      this.#readComma(frame, term)
    );
  }

  #readLogical(frame: Frame, condition: ConditionNode): boolean {
    const { type } = this.#reader.next;
    if (type !== 'AND' && type !== 'OR') return false;
    this.#reader.take();
    this.#operatorCount += 1;
    const conjunction = joinAnd(frame, condition);
    if (type === 'AND') {
      frame.and = conjunction;
    } else {
      frame.or = joinOr(frame, conjunction);
    }
    return true;
  }

  #readComparison(frame: Frame, left: OperandNode): boolean {
    const { type } = this.#reader.next;
    if (type === 'BETWEEN') {
      frame.pending = { kind: 'between', left, lower: undefined };
    } else if (isComparator(type)) {
      frame.pending = { kind: 'comparison', left, comparator: type };
    } else if (type !== 'IN') {
      return false;
    }
    this.#reader.take();
    this.#operatorCount += 1;
    if (type === 'IN') {
      this.#reader.expect('(');
      this.#frames.push(newFrame({ kind: 'in', left, candidates: [] }, 'operand', left.start));
    }
    return true;
  }

  #readArithmetic(frame: Frame, left: OperandNode): boolean {
    const { type } = this.#reader.next;
    if (type !== '+' && type !== '-') return false;
    this.#reader.take();
    this.#operatorCount += 1;
    frame.pending = { kind: 'arithmetic', left, operator: type };
    return true;
  }

  #readComma(frame: Frame, term: TermNode): boolean {
    const { place } = frame;
    if (place.kind !== 'call' && place.kind !== 'in') return false;
    if (!this.#reader.takeIf(',')) return false;
    listOf(place).push(term as OperandNode); // such a frame accepts operands only
    return true;
  }

  /** Ends a frame at its `)`. Its contents are a term of the enclosing frame. */
  #close(frame: Frame, term: TermNode): TermNode {
    const isLogical = frame.nots.length > 0 || frame.and !== undefined || frame.or !== undefined;
    if (isLogical && !canBeCondition(term)) throw this.#reader.syntaxError();
    const { end } = this.#reader.expect(')');
    this.#frames.pop();
    const { start, place } = frame;
    switch (place.kind) {
      case 'call':
        return {
          kind: 'call',
          functionName: place.functionName,
          operands: [...place.operands, term as OperandNode],
          start,
          end,
        };
      case 'in':
        return this.#closeIn(place, term as OperandNode, end);
      case 'group':
      case 'root': {
        const inner = isLogical ? joinOr(frame, joinAnd(frame, term as ConditionNode)) : term;
        // Reported here, before any later syntax error.
        if (inner.kind === 'group') throw invalidExpression(this.#reader.kind, redundantParentheses);
        return { kind: 'group', inner, start, end };
      }
    }
  }

  #closeIn(place: InEnclosure, last: OperandNode, end: number): InNode {
    return { kind: 'in', operand: place.left, candidates: [...place.candidates, last], start: place.left.start, end };
  }

  /** The whole term, if it is complete; otherwise the next token is the syntax error. */
  #endRoot(frame: Frame, term: TermNode): TermNode {
    if (frame.accepts === 'condition') {
      if (!canBeCondition(term)) throw this.#reader.syntaxError();
      return joinOr(frame, joinAnd(frame, term as ConditionNode));
    }
    return term;
  }
}

/** The most that a frame may hold. */
type Accepts = 'condition' | 'set-value' | 'operand';

interface InEnclosure {
  readonly kind: 'in';
  readonly left: OperandNode;
  readonly candidates: OperandNode[];
}

type Enclosure =
  | { readonly kind: 'root' | 'group' }
  | { readonly kind: 'call'; readonly functionName: string; readonly operands: OperandNode[] }
  | InEnclosure;

type Pending =
  | { readonly kind: 'comparison'; readonly left: OperandNode; readonly comparator: Comparator }
  | { readonly kind: 'between'; readonly left: OperandNode; readonly lower: OperandNode | undefined }
  | { readonly kind: 'arithmetic'; readonly left: OperandNode; readonly operator: ArithmeticNode['operator'] };

/** An open construct: the whole, parentheses, the operands of a function or of IN. */
interface Frame {
  readonly place: Enclosure;
  readonly accepts: Accepts;
  readonly start: number;
  /** The NOTs before the condition that is being read. */
  nots: Token[];
  /** The left sides of the AND and the OR that wait for their right sides. */
  and: ConditionNode | undefined;
  or: ConditionNode | undefined;
  /** The operator that waits for an operand. */
  pending: Pending | undefined;
}

function newFrame(place: Enclosure, accepts: Accepts, start: number): Frame {
  return { place, accepts, start, nots: [], and: undefined, or: undefined, pending: undefined };
}

function listOf(place: Exclude<Enclosure, { kind: 'root' | 'group' }>): OperandNode[] {
  return place.kind === 'call' ? place.operands : place.candidates;
}

function joinAnd(frame: Frame, condition: ConditionNode): ConditionNode {
  let right = condition;
  for (const { start } of frame.nots.toReversed()) right = { kind: 'not', inner: right, start, end: right.end };
  frame.nots = [];
  const left = frame.and;
  frame.and = undefined;
  return left === undefined ? right : { kind: 'and', left, right, start: left.start, end: right.end };
}

function joinOr(frame: Frame, right: ConditionNode): ConditionNode {
  const left = frame.or;
  frame.or = undefined;
  return left === undefined ? right : { kind: 'or', left, right, start: left.start, end: right.end };
}

/** A function may be both an operand and a condition; which one it must be is checked later. */
function canBeCondition(term: TermNode): boolean {
  const { kind } = ungroup(term);
  return kind !== 'path' && kind !== 'value' && kind !== 'arithmetic';
}

function canBeOperand(term: TermNode): boolean {
  const { kind } = ungroup(term);
  return kind === 'path' || kind === 'value' || kind === 'call';
}

function isComparator(type: Token['type']): type is Comparator {
  return type === '=' || type === '<>' || type === '<' || type === '<=' || type === '>' || type === '>=';
}
