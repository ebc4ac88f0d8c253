import { serviceLimits } from '../values/limits.ts';
import type { ExpressionKind } from './expression-kind.ts';
import { invalidExpression, tooManyOperators } from './expression-problem.ts';
import { parsePath } from './parse-path.ts';
import { TermParser } from './parse-term.ts';
import type { ActionNode, ConditionNode, ProjectionNode, SectionNode, UpdateNode, UpdateVerb } from './syntax-tree.ts';
import { TokenReader } from './token-reader.ts';

/** The tree of a key condition, filter or condition. */
export function parseCondition(text: string, kind: ExpressionKind): ConditionNode {
  const reader = new TokenReader(text, kind);
  const terms = new TermParser(reader);
  const condition = terms.parseCondition();
  reader.expect('end');
  checkOperatorCount(terms.operatorCount, kind);
  return condition;
}

/** The tree of a projection: paths separated by commas. */
export function parseProjection(text: string): ProjectionNode {
  const reader = new TokenReader(text, 'ProjectionExpression');
  const { start } = reader.next;
  const paths = [parsePath(reader)];
  while (reader.takeIf(',')) paths.push(parsePath(reader));
  const end = reader.expect('end').start;
  return { kind: 'projection', paths, start, end };
}

/** The tree of an update: sections without separators, each with actions separated by commas. */
export function parseUpdate(text: string): UpdateNode {
  const reader = new TokenReader(text, 'UpdateExpression');
  const terms = new TermParser(reader);
  const { start } = reader.next;
  const sections: SectionNode[] = [];
  do {
    sections.push(parseSection(reader, terms));
  } while (reader.next.type !== 'end');
  checkOperatorCount(terms.operatorCount, 'UpdateExpression');
  return { kind: 'update', sections, start, end: reader.next.start };
}

function parseSection(reader: TokenReader, terms: TermParser): SectionNode {
  const { type, start } = reader.next;
  if (type !== 'SET' && type !== 'REMOVE' && type !== 'ADD' && type !== 'DELETE') throw reader.syntaxError();
  reader.take();
  const first = parseAction(type, reader, terms);
  const actions = [first];
  let { end } = first;
  while (reader.takeIf(',')) {
    const action = parseAction(type, reader, terms);
    actions.push(action);
    ({ end } = action);
  }
  return { kind: 'section', verb: type, actions, start, end };
}

function parseAction(verb: UpdateVerb, reader: TokenReader, terms: TermParser): ActionNode {
  const path = parsePath(reader);
  const { start } = path;
  switch (verb) {
    case 'SET': {
      reader.expect('=');
      const value = terms.parseSetValue();
      return { kind: 'set', path, value, start, end: value.end };
    }
    case 'REMOVE':
      return { kind: 'remove', path, start, end: path.end };
    case 'ADD':
    case 'DELETE': {
      const token = reader.expect('value');
      const value = { kind: 'value', name: token.text, start: token.start, end: token.end } as const;
      return { kind: verb === 'ADD' ? 'add' : 'delete', path, value, start, end: token.end };
    }
  }
}

/** The service stops counting at the first operator that exceeds the limit. */
function checkOperatorCount(operatorCount: number, kind: ExpressionKind): void {
  const max = serviceLimits.expressionOperatorCountMax;
  if (operatorCount > max) throw invalidExpression(kind, tooManyOperators(max + 1));
}
