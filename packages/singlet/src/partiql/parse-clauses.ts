import type { ExpressionParser } from './parse-expression.ts';
import { malformedStatement, syntaxProblems } from './statement-problem.ts';
import type {
  ActionNode,
  ColumnNode,
  DeleteNode,
  ExpressionNode,
  InsertNode,
  OrderNode,
  PathNode,
  ReturningNode,
  SelectNode,
  SourceNode,
  UpdateNode,
} from './syntax-tree.ts';
import type { TokenReader } from './token-reader.ts';

/* The statements. When each function is called, the statement's first word is the next token. */

/** Set operators (UNION) bind less tightly than the clauses of SELECT. */
const clausePrecedence = 6;

export function parseSelect(parser: ExpressionParser): SelectNode {
  const { reader } = parser;
  const head = reader.take();
  const distinct = reader.takeKeyword('distinct');
  if (distinct === undefined) reader.takeKeyword('all');
  const value = reader.takeKeyword('value');
  const columns = parseColumns(parser, value !== undefined);
  if (!reader.takeKeyword('from')) throw malformedStatement(syntaxProblems.fromAfterSelect);
  const from = parseSource(parser, clausePrecedence);
  const joined = parseJoins(parser);
  const where = reader.takeKeyword('where') ? parser.parseExpression(clausePrecedence) : undefined;
  const orderBy = parseOrderBy(parser);
  const unsupported = parseUnsupported(parser);
  return {
    kind: 'select',
    modifier: distinct ? 'distinct' : value ? 'value' : undefined,
    columns,
    from,
    joined,
    where,
    orderBy,
    unsupported,
    start: head.start,
    end: reader.last.end,
    head,
  };
}

function parseColumns(parser: ExpressionParser, single: boolean): readonly ColumnNode[] | undefined {
  const { reader } = parser;
  if (single) return [{ expression: parser.parseExpression(), aliased: false }];
  const columns: ColumnNode[] = [];
  let stars = 0;
  do {
    if (reader.takeIf('*')) {
      stars += 1;
    } else {
      const expression = parser.parseExpression();
      columns.push({ expression, aliased: parseAlias(reader) });
    }
  } while (reader.takeIf(','));
  if (stars > 0 && stars + columns.length > 1) throw malformedStatement(syntaxProblems.starNotAlone);
  return stars > 0 ? undefined : columns;
}

function parseSource(parser: ExpressionParser, precedence: number): SourceNode {
  const expression = parser.parseExpression(precedence);
  return { expression, aliased: parseAlias(parser.reader) };
}

/** `AS name`, or the name alone, then `AT name` and `BY name`. */
function parseAlias(reader: TokenReader): boolean {
  let aliased = isName(reader);
  if (aliased) reader.take();
  for (const word of ['as', 'at', 'by']) {
    if ((word === 'as' && aliased) || !reader.isWord('clauseWord', word)) continue;
    reader.take();
    if (!isName(reader)) throw malformedStatement(syntaxProblems.aliasName.replace('AS', word.toUpperCase()));
    reader.take();
    aliased = true;
  }
  return aliased;
}

function isName({ next }: TokenReader): boolean {
  return next.type === 'identifier' || next.type === 'quotedIdentifier';
}

const joinWords: ReadonlySet<string> = new Set(['join', 'inner', 'cross', 'left', 'right', 'full', 'outer']);

/** Reads further sources, which are not supported. @returns whether there are any. */
function parseJoins(parser: ExpressionParser): boolean {
  const { reader } = parser;
  let joined = false;
  for (;;) {
    const isJoin = takeJoinWords(reader);
    if (!isJoin && !reader.takeIf(',')) return joined;
    joined = true;
    parseSource(parser, clausePrecedence);
    if (isJoin && reader.takeKeyword('on')) parser.parseExpression(clausePrecedence);
  }
}

function takeJoinWords(reader: TokenReader): boolean {
  let taken = false;
  while (reader.next.type === 'keyword' && joinWords.has(reader.next.text)) {
    reader.take();
    taken = true;
  }
  return taken;
}

function parseOrderBy(parser: ExpressionParser): readonly OrderNode[] | undefined {
  const { reader } = parser;
  if (!reader.takeKeyword('order')) return undefined;
  expectBy(reader);
  const order: OrderNode[] = [];
  do {
    const expression = parser.parseExpression();
    const isDescending = reader.isWord('clauseWord', 'desc');
    const direction = isDescending ? 'desc' : reader.isWord('clauseWord', 'asc') ? 'asc' : undefined;
    if (direction !== undefined) reader.take();
    order.push({ expression, direction });
  } while (reader.takeIf(','));
  return order;
}

function parseUnsupported(parser: ExpressionParser): SelectNode['unsupported'] {
  const { reader } = parser;
  const found: SelectNode['unsupported'][number][] = [];
  if (reader.takeKeyword('group')) {
    reader.takeKeyword('partial');
    expectBy(reader);
    const [first] = parser.parseExpressions() as [ExpressionNode, ...ExpressionNode[]]; // at least one is read
    found.push({ clause: 'GROUP BY', at: first.head });
  }
  for (const clause of ['HAVING', 'LIMIT', 'OFFSET'] as const) {
    if (!reader.takeKeyword(clause.toLowerCase())) continue;
    found.push({ clause, at: parser.parseExpression(clausePrecedence).head });
  }
  return found;
}

function expectBy(reader: TokenReader): void {
  if (!reader.isWord('clauseWord', 'by')) throw malformedStatement(syntaxProblems.expected('BY'));
  reader.take();
}

export function parseInsert(parser: ExpressionParser): InsertNode {
  const { reader } = parser;
  const head = reader.take();
  const target = parser.parseSimplePath();
  const form = reader.takeKeyword('value') ? 'value' : 'values';
  if (form === 'values') reader.takeKeyword('values');
  const value = parser.parseExpression();
  const returning = form === 'value' ? parseReturning(reader) : undefined;
  return { kind: 'insert', target, form, value, returning, start: head.start, end: reader.last.end, head };
}

export function parseUpdate(parser: ExpressionParser): UpdateNode {
  const { reader } = parser;
  const head = reader.take();
  const source = parseTarget(parser);
  const actions = parseActions(parser);
  const where = parseWhere(parser);
  const returning = parseReturning(reader);
  return {
    kind: 'update',
    form: 'update',
    source,
    actions,
    where,
    returning,
    start: head.start,
    end: reader.last.end,
    head,
  };
}

/** `FROM t WHERE … SET …` */
export function parseFromFirst(parser: ExpressionParser): UpdateNode {
  const { reader } = parser;
  const head = reader.take();
  const source = parseSource(parser, -1);
  const where = parseWhere(parser);
  const actions = parseActions(parser);
  const returning = parseReturning(reader);
  return {
    kind: 'update',
    form: 'from',
    source,
    actions,
    where,
    returning,
    start: head.start,
    end: reader.last.end,
    head,
  };
}

export function parseDelete(parser: ExpressionParser): DeleteNode {
  const { reader } = parser;
  const head = reader.take();
  if (!reader.takeKeyword('from')) throw malformedStatement(syntaxProblems.fromAfterDelete);
  const source = parseTarget(parser);
  const where = parseWhere(parser);
  const returning = parseReturning(reader);
  return { kind: 'delete', source, where, returning, start: head.start, end: reader.last.end, head };
}

function parseTarget(parser: ExpressionParser): SourceNode {
  const expression: PathNode = parser.parseSimplePath();
  return { expression, aliased: parseAlias(parser.reader) };
}

function parseWhere(parser: ExpressionParser): ExpressionNode | undefined {
  return parser.reader.takeKeyword('where') ? parser.parseExpression() : undefined;
}

/** SET and REMOVE clauses in any order and number. */
function parseActions(parser: ExpressionParser): readonly ActionNode[] {
  const { reader } = parser;
  const actions: ActionNode[] = [];
  for (;;) {
    if (reader.takeKeyword('set')) {
      do {
        const path = parser.parseSimplePath();
        if (!reader.isWord('operator', '=')) throw malformedStatement(syntaxProblems.assignment);
        reader.take();
        actions.push({ kind: 'set', path, value: parser.parseExpression() });
      } while (reader.takeIf(','));
    } else if (reader.takeKeyword('remove')) {
      actions.push({ kind: 'remove', path: parser.parseSimplePath() });
    } else {
      if (actions.length === 0) throw malformedStatement(syntaxProblems.dataManipulation);
      return actions;
    }
  }
}

function parseReturning(reader: TokenReader): ReturningNode | undefined {
  if (!reader.takeKeyword('returning')) return undefined;
  const { type, text } = reader.next;
  const match = type === 'keyword' ? /^(all|modified)_(old|new)$/.exec(text) : null;
  if (match === null) throw malformedStatement(syntaxProblems.returning);
  reader.take();
  if (!reader.takeIf('*')) throw malformedStatement(syntaxProblems.returningColumn);
  return { which: match[1] as ReturningNode['which'], version: match[2] as ReturningNode['version'] };
}
