import { functionKeywords, typeNames } from './keywords.ts';
import type { Token } from './lexer.ts';
import { parseDelete, parseFromFirst, parseInsert, parseSelect, parseUpdate } from './parse-clauses.ts';
import { malformedStatement, statementProblems, syntaxProblems } from './statement-problem.ts';
import type {
  BinaryOperator,
  ExpressionNode,
  PathElementNode,
  PathNode,
  Span,
  StructNode,
  UnaryNode,
} from './syntax-tree.ts';
import type { TokenReader } from './token-reader.ts';

/**
 * Parses expressions by operator precedence. A statement is an expression too, so parsing begins here: a misspelt
 * `SLECT * FROM t` is a product of an attribute and a FROM without data manipulation, and refused as such, as in the
 * service.
 *
 * The parser recurses; `depthMax` keeps it from overflowing the host's stack.
 */
export class ExpressionParser {
  readonly reader: TokenReader;
  #parameterCount = 0;
  #depth = 0;

  constructor(reader: TokenReader) {
    this.reader = reader;
  }

  /** How many `?` were read so far. */
  get parameterCount(): number {
    return this.#parameterCount;
  }

  /** Reads operators that bind more tightly than `precedence`. */
  parseExpression(precedence = -1): ExpressionNode {
    return this.#nested(() => {
      let left = this.#parseUnary();
      for (let operandDepth = 0; ;) {
        const operator = this.reader.next;
        const operatorPrecedence = precedenceOf(operator);
        if (operatorPrecedence <= precedence) return left;
        // `a = b = c …` is as deep as it is long. Of AND and OR the parts are taken in a loop later.
        if (operator.text !== 'and' && operator.text !== 'or') operandDepth += 1;
        if (operandDepth > depthMax) throw malformedStatement(statementProblems.nestingTooDeep);
        left = this.#parseInfix(left, operator, operatorPrecedence);
      }
    });
  }

  /** Expressions separated by commas, at least one. */
  parseExpressions(): ExpressionNode[] {
    const expressions = [this.parseExpression()];
    while (this.reader.takeIf(',')) expressions.push(this.parseExpression());
    return expressions;
  }

  /** The left side of an assignment, or the name of a table to be written: names and constants only. */
  parseSimplePath(): PathNode {
    const { type } = this.reader.next;
    if (type !== 'identifier' && type !== 'quotedIdentifier') throw malformedStatement(syntaxProblems.simplePath);
    return this.#parsePath(true);
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > depthMax) throw malformedStatement(statementProblems.nestingTooDeep);
    const result = read();
    this.#depth -= 1;
    return result;
  }

  #parseInfix(left: ExpressionNode, operator: Token, precedence: number): ExpressionNode {
    const { reader } = this;
    reader.take();
    const { start } = left;
    const negated = operator.text.startsWith('not_') || operator.text === 'is_not';
    if (operator.text === 'is' || operator.text === 'is_not') {
      const typeName = this.#parseType();
      return { kind: 'is', operand: left, typeName, negated, start, end: reader.last.end, head: operator };
    }
    const name = operator.text.replace('not_', '');
    if (name === 'in' && reader.next.type === '(') {
      const right = this.#parseParenthesized(true);
      return { kind: 'binary', operator: 'in', left, right, negated, start, end: right.end, head: operator };
    }
    if (reader.next.type === 'end') throw malformedStatement(syntaxProblems.rightHandSide);
    const right = this.parseExpression(precedence);
    if (name !== 'between') {
      const kind = 'binary';
      return { kind, operator: name as BinaryOperator, left, right, negated, start, end: right.end, head: operator };
    }
    if (!reader.isWord('operator', 'and')) throw malformedStatement(syntaxProblems.expected('AND keyword'));
    reader.take();
    const upper = this.parseExpression(precedence);
    return { kind: 'between', operand: left, lower: right, upper, negated, start, end: upper.end, head: operator };
  }

  #parseType(): string {
    const { reader } = this;
    const { type, text } = reader.next;
    const typeName = type === 'keyword' || type === 'constant' ? typeNames.get(text) : undefined;
    if (typeName === undefined) throw malformedStatement(syntaxProblems.typeName);
    reader.take();
    if (reader.takeIf('(')) {
      this.parseExpressions();
      reader.expect(')', 'RIGHT_PAREN');
    }
    return typeName;
  }

  #parseUnary(): ExpressionNode {
    const operator = this.reader.next;
    const { text, start } = operator;
    if (operator.type !== 'operator' || (text !== '+' && text !== '-' && text !== 'not')) return this.#parseTerm();
    this.reader.take();
    const operand =
      text === 'not' ? this.parseExpression(precedences.get('not')) : this.#nested(() => this.#parseUnary());
    if (text === 'not' || operand.kind !== 'number') {
      return { kind: 'unary', operator: text, operand, start, end: operand.end, head: operator } satisfies UnaryNode;
    }
    // A sign belongs to the number that it precedes.
    if (text === '+') return { ...operand, start };
    return { ...operand, text: operand.text.startsWith('-') ? operand.text.slice(1) : `-${operand.text}`, start };
  }

  #parseTerm(): ExpressionNode {
    const { reader } = this;
    const token = reader.next;
    switch (token.type) {
      case 'identifier':
      case 'quotedIdentifier':
        return reader.afterNext.type === '(' ? this.#parseCall() : this.#parsePath(false);
      case 'string':
        return { kind: 'string', value: reader.take().text, ...spans(token) };
      case 'number':
        return { kind: 'number', text: reader.take().text, ...spans(token) };
      case 'constant':
        reader.take();
        if (token.text === 'null' || token.text === 'missing') return { kind: token.text, ...spans(token) };
        return { kind: 'boolean', value: token.text === 'true', ...spans(token) };
      case 'parameter':
        reader.take();
        this.#parameterCount += 1;
        return { kind: 'parameter', position: this.#parameterCount - 1, ...spans(token) };
      case '(':
        return this.#parseParenthesized(false);
      case '[':
        return this.#parseSequence('list', ']', 'RIGHT_BRACKET');
      case '<<':
        return this.#parseSequence('bag', '>>', 'RIGHT_DOUBLE_ANGLE_BRACKET');
      case '{':
        return this.#parseStruct();
      case 'keyword':
        return this.#parseKeyword();
      case 'operator':
        throw malformedStatement(syntaxProblems.operator);
      default:
        throw malformedStatement(syntaxProblems.term);
    }
  }

  #parseKeyword(): ExpressionNode {
    switch (this.reader.next.text) {
      case 'select':
        return parseSelect(this);
      case 'insert_into':
        return parseInsert(this);
      case 'update':
        return parseUpdate(this);
      case 'delete':
        return parseDelete(this);
      case 'from':
        return parseFromFirst(this);
      default: {
        const isCall = functionKeywords.has(this.reader.next.text) && this.reader.afterNext.type === '(';
        if (!isCall) throw malformedStatement(syntaxProblems.keyword);
        return this.#parseCall();
      }
    }
  }

  /** Several expressions in parentheses become a list, and so does a single one if `asList` is set. */
  #parseParenthesized(asList: boolean): ExpressionNode {
    const { start } = this.reader.take();
    const elements = this.parseExpressions();
    const { end } = this.reader.expect(')', 'RIGHT_PAREN');
    const [only] = elements;
    if (only !== undefined && elements.length === 1 && !asList) return only;
    return { kind: 'list', elements, start, end, head: { start, end: start + 1 } };
  }

  #parseSequence(kind: 'list' | 'bag', close: ']' | '>>', closeName: string): ExpressionNode {
    const { reader } = this;
    const head = reader.take();
    const elements = reader.next.type === close ? [] : this.parseExpressions();
    const { end } = reader.expect(close, closeName);
    return { kind, elements, start: head.start, end, head };
  }

  #parseStruct(): ExpressionNode {
    const { reader } = this;
    const head = reader.take();
    const members: StructNode['members'][number][] = [];
    if (reader.next.type !== '}') {
      do {
        const key = this.parseExpression();
        reader.expect(':', 'COLON');
        members.push({ key, value: this.parseExpression() });
      } while (reader.takeIf(','));
    }
    const { end } = reader.expect('}', 'RIGHT_CURLY');
    return { kind: 'struct', members, start: head.start, end, head };
  }

  #parseCall(): ExpressionNode {
    const { reader } = this;
    const head = reader.take();
    const functionName = head.text.toLowerCase();
    reader.take();
    const ofAll = reader.next.type === '*';
    if (ofAll && functionName !== 'count') throw malformedStatement(`${functionName}(*) is not allowed`);
    if (ofAll) reader.take();
    const operands = ofAll || reader.next.type === ')' ? [] : this.parseExpressions();
    const { end } = reader.expect(')', 'RIGHT_PAREN');
    return { kind: 'call', functionName, operands, ofAll, start: head.start, end, head };
  }

  #parsePath(simple: boolean): PathNode {
    const { reader } = this;
    const head = reader.take();
    const elements: PathElementNode[] = [];
    for (;;) {
      if (reader.takeIf('.')) elements.push(this.#parseDotElement(simple));
      else if (reader.next.type === '[') elements.push(this.#parseIndexElement(simple));
      else return { kind: 'path', root: head.text, elements, start: head.start, end: reader.last.end, head };
    }
  }

  #parseDotElement(simple: boolean): PathElementNode {
    const { type, text, start, end } = this.reader.next;
    if (type === '*') {
      if (simple) throw malformedStatement(syntaxProblems.simplePathDot);
      this.reader.take();
      return { kind: 'wildcard', start, end };
    }
    if (type !== 'identifier' && type !== 'quotedIdentifier') throw malformedStatement(syntaxProblems.pathDot);
    this.reader.take();
    return { kind: 'name', name: text, start, end };
  }

  #parseIndexElement(simple: boolean): PathElementNode {
    const { reader } = this;
    const { start } = reader.take();
    const star = reader.takeIf('*');
    const index = star ? undefined : this.parseExpression();
    const { end } = reader.expect(']', 'RIGHT_BRACKET');
    if (simple && (index === undefined || !constantKinds.has(index.kind))) {
      throw malformedStatement(syntaxProblems.simplePathComponent);
    }
    return index === undefined ? { kind: 'wildcard', start, end } : { kind: 'index', index, start, end };
  }
}

/** How deeply expressions may be nested. No practical statement comes close to it. */
const depthMax = 300;

const constantKinds: ReadonlySet<ExpressionNode['kind']> = new Set([
  'string',
  'number',
  'boolean',
  'null',
  'missing',
  'path',
]);

function spans({ start, end }: Token): { start: number; end: number; head: Span } {
  return { start, end, head: { start, end } };
}

/** Higher binds more tightly. */
const precedences: ReadonlyMap<string, number> = new Map([
  ['or', 10],
  ['and', 20],
  ['not', 30],
  ['=', 40],
  ['<>', 40],
  ['is', 40],
  ['is_not', 40],
  ['in', 40],
  ['not_in', 40],
  ['<', 50],
  ['<=', 50],
  ['>', 50],
  ['>=', 50],
  ['between', 50],
  ['not_between', 50],
  ['like', 50],
  ['not_like', 50],
  ['+', 60],
  ['-', 60],
  ['||', 60],
  ['*', 70],
  ['/', 70],
  ['%', 70],
]);

/** The precedence of what follows an operand: below all others when it is not a binary operator. */
function precedenceOf({ type, text }: Token): number {
  if ((type !== 'operator' && type !== '*') || text === 'not') return -1;
  return precedences.get(text) ?? -1;
}
