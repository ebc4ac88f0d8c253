import type { AttributeValue } from '../values/attribute-value.ts';
import type { BoundOperand } from '../expressions/bound-operand.ts';
import type { DocumentPath, PathElement } from '../expressions/document-path.ts';
import { pathTooDeep } from '../expressions/expression-problem.ts';
import { serviceLimits } from '../values/limits.ts';
import { ValidationException } from '../values/service-error.ts';
import { isLiteral, literalValue } from './literal-value.ts';
import { problemAt, statementProblems } from './statement-problem.ts';
import type { ExpressionNode, ParsedStatement, PathNode } from './syntax-tree.ts';

/** A statement with the values of its parameters: the input of binding. */
export interface Binding {
  readonly statement: ParsedStatement;
  /** Checked values, as many as the statement has `?`. */
  readonly parameters: readonly AttributeValue[];
}

/** The value that a literal or parameter represents; undefined for anything else. */
export function boundValue(node: ExpressionNode, { statement, parameters }: Binding): AttributeValue | undefined {
  if (node.kind === 'parameter') {
    const value = parameters[node.position];
    if (value === undefined) throw new ValidationException(statementProblems.parameterCount);
    return value;
  }
  return isLiteral(node) ? literalValue(node, statement.text) : undefined;
}

/** A path or value; undefined for anything else. */
export function boundPathOrValue(node: ExpressionNode, binding: Binding): BoundOperand | undefined {
  if (node.kind === 'path') return { kind: 'path', path: documentPath(node, binding.statement.text) };
  const value = boundValue(node, binding);
  return value === undefined ? undefined : { kind: 'value', value };
}

/** The largest position that a path may name. */
const listIndexMax = 2 ** 31 - 1;

/**
 * The document path that a path in a statement names.
 *
 * @throws {ValidationException} for wildcards, for positions that are not constants or out of range, and for empty names.
 */
export function documentPath({ root, elements, head }: PathNode, statement: string): DocumentPath {
  const path: PathElement[] = [nonEmpty(root)];
  for (const element of elements) {
    if (element.kind === 'name') {
      path.push(nonEmpty(element.name));
      continue;
    }
    const index = element.kind === 'index' ? element.index : undefined;
    if (index?.kind === 'string') path.push(nonEmpty(index.value));
    else if (index?.kind === 'number') path.push(listIndex(index.text, index.head, statement));
    else throw problemAt(statementProblems.pathComponent, index?.head ?? head, statement);
  }
  // Assumed to be as in expressions.
  if (path.length > serviceLimits.nestingDepthMax) throw new ValidationException(pathTooDeep(path.length));
  return path;
}

function nonEmpty(name: string): string {
  if (name === '') throw new ValidationException(statementProblems.emptyPathComponent);
  return name;
}

function listIndex(text: string, head: { start: number; end: number }, statement: string): number {
  const index = Number(text);
  if (!/^-?[0-9]+$/.test(text)) throw problemAt(statementProblems.pathComponent, head, statement);
  if (index < 0 || index > listIndexMax) throw problemAt(statementProblems.listIndex(text), head, statement);
  return index === 0 ? 0 : index; // `-0` is the first position
}
