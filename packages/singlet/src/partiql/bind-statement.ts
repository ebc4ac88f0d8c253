import type { AttributeMap, AttributeValue, MutableAttributeMap } from '../values/attribute-value.ts';
import { setAttribute } from '../values/attribute-value.ts';
import type { Update } from '../expressions/update.ts';
import { ValidationException } from '../values/service-error.ts';
import { bindCondition, type ConditionTree } from './bind-condition.ts';
import { type Binding, boundValue } from './bind-operand.ts';
import { bindUpdate } from './bind-update.ts';
import { namedMembers, unsupportedValue } from './literal-value.ts';
import { returningText } from './print-statement.ts';
import { problemAt, statementProblems } from './statement-problem.ts';
import type {
  ColumnNode,
  ExpressionNode,
  InsertNode,
  OrderNode,
  ParsedStatement,
  PathNode,
  ReturningNode,
  SelectNode,
  SourceNode,
} from './syntax-tree.ts';

/** A statement after all checks that do not need its table. */
export type Statement = SelectStatement | InsertStatement | UpdateStatement | DeleteStatement | ExistsStatement;

export interface SelectStatement {
  readonly kind: 'select';
  readonly text: string;
  readonly tableName: string;
  readonly indexName: string | undefined;
  /** Undefined for `*`. Not checked: errors in columns are reported after errors in the table. */
  readonly columns: readonly ColumnNode[] | undefined;
  readonly where: ConditionTree | undefined;
  readonly orderBy: readonly OrderNode[] | undefined;
}

export interface InsertStatement {
  readonly kind: 'insert';
  readonly tableName: string;
  readonly item: AttributeMap;
}

export interface UpdateStatement {
  readonly kind: 'update';
  readonly tableName: string;
  readonly update: Update;
  readonly where: ConditionTree | undefined;
  readonly returning: ReturningNode | undefined;
}

export interface DeleteStatement {
  readonly kind: 'delete';
  readonly tableName: string;
  readonly where: ConditionTree | undefined;
  readonly returning: ReturningNode | undefined;
}

/** `EXISTS(SELECT …)`: a condition on one item, in a transaction. */
export interface ExistsStatement {
  readonly kind: 'exists';
  readonly select: SelectStatement;
  readonly tableName: string;
}

/**
 * Puts the values of its parameters into a statement and checks it.
 *
 * @param parameters - checked values.
 * @throws {ValidationException}
 */
export function bindStatement(statement: ParsedStatement, parameters: readonly AttributeValue[]): Statement {
  if (parameters.length !== statement.parameterCount) {
    throw new ValidationException(statementProblems.parameterCount);
  }
  return bindRoot({ statement, parameters });
}

function bindRoot(binding: Binding): Statement {
  const { root } = binding.statement;
  switch (root.kind) {
    case 'select':
      return bindSelect(root, binding);
    case 'insert':
      return bindInsert(root, binding);
    case 'update': {
      const tableName = tableOfWrite(root.source, binding);
      const update = bindUpdate(root.actions, binding);
      return { kind: 'update', tableName, update, where: bindWhere(root.where, binding), returning: root.returning };
    }
    case 'delete': {
      const tableName = tableOfWrite(root.source, binding);
      const { returning } = root;
      if (returning !== undefined && (returning.which !== 'all' || returning.version !== 'old')) {
        throw new ValidationException(statementProblems.deleteReturning(returningText(returning)));
      }
      return { kind: 'delete', tableName, where: bindWhere(root.where, binding), returning };
    }
    case 'call': {
      const [select] = root.operands;
      if (root.functionName === 'exists' && root.operands.length === 1 && select?.kind === 'select') {
        const bound = bindSelect(select, binding);
        return { kind: 'exists', select: bound, tableName: bound.tableName };
      }
      throw new ValidationException(statementProblems.unsupportedOperation('Call'));
    }
    default:
      throw new ValidationException(statementProblems.unsupportedOperation(operationName(root)));
  }
}

function bindWhere(where: ExpressionNode | undefined, binding: Binding): ConditionTree | undefined {
  return where && bindCondition(where, binding);
}

function bindSelect(node: SelectNode, binding: Binding): SelectStatement {
  const { statement } = binding;
  if (node.joined) throw problemAt(statementProblems.fromSource, node.from.expression.head, statement.text);
  if (node.from.aliased || node.columns?.some(({ aliased }) => aliased) === true) {
    throw new ValidationException(statementProblems.aliasing);
  }
  if (node.modifier === 'value') throw new ValidationException(statementProblems.selectValue);
  if (node.modifier === 'distinct') {
    throw problemAt(statementProblems.unsupportedClause('DISTINCT'), node.head, statement.text);
  }
  const [unsupported] = node.unsupported;
  if (unsupported !== undefined) {
    throw problemAt(statementProblems.unsupportedClause(unsupported.clause), unsupported.at, statement.text);
  }
  const { tableName, indexName } = sourceNames(node.from.expression, statement);
  const where = bindWhere(node.where, binding);
  return {
    kind: 'select',
    text: statement.text,
    tableName,
    indexName,
    columns: node.columns,
    where,
    orderBy: node.orderBy,
  };
}

function bindInsert(node: InsertNode, binding: Binding): InsertStatement {
  const { tableName, indexName } = sourceNames(node.target, binding.statement);
  if (indexName !== undefined) throw new ValidationException(statementProblems.indexOfWrite);
  if (node.form === 'values') throw new ValidationException(statementProblems.unsupportedOperation('Insert'));
  if (node.returning !== undefined) throw new ValidationException(statementProblems.insertReturning);
  return { kind: 'insert', tableName, item: bindItem(node.value, binding) };
}

/** A tuple, whose values may be parameters, or (assumed) a parameter that is a map. */
function bindItem(node: ExpressionNode, binding: Binding): AttributeMap {
  const { text } = binding.statement;
  if (node.kind !== 'struct') {
    const value = node.kind === 'parameter' ? boundValue(node, binding) : undefined;
    if (value !== undefined && 'M' in value) return value.M;
    throw unsupportedValue(node, text);
  }
  const item: MutableAttributeMap = {};
  for (const { name, value } of namedMembers(node, text, 'root')) {
    const bound = boundValue(value, binding);
    if (bound === undefined) throw unsupportedValue(value, text);
    setAttribute(item, name, bound);
  }
  return item;
}

function tableOfWrite({ expression, aliased }: SourceNode, { statement }: Binding): string {
  if (aliased) throw new ValidationException(statementProblems.aliasing);
  const { tableName, indexName } = sourceNames(expression, statement);
  if (indexName !== undefined) throw new ValidationException(statementProblems.indexOfWrite);
  return tableName;
}

function sourceNames(
  node: ExpressionNode,
  { text }: ParsedStatement,
): { readonly tableName: string; readonly indexName: string | undefined } {
  if (node.kind !== 'path') throw problemAt(statementProblems.fromSource, node.head, text);
  const names = [node.root, ...node.elements.map((element) => componentName(element, node, text))];
  if (names.length > 2) throw new ValidationException(statementProblems.tooManyFromComponents);
  if (names.includes('')) throw new ValidationException(statementProblems.emptyPathComponent);
  return { tableName: node.root, indexName: names[1] };
}

function componentName(element: PathNode['elements'][number], node: PathNode, text: string): string {
  if (element.kind === 'name') return element.name;
  throw problemAt(statementProblems.pathComponent, node.head, text);
}

/** The service's name for an expression that is not a statement. Only the type test is on record; the others are assumed. */
function operationName(node: ExpressionNode): string {
  switch (node.kind) {
    case 'is':
      return 'IsType';
    case 'path':
      return node.elements.length === 0 ? 'Id' : 'Path';
    case 'parameter':
      return 'Parameter';
    case 'list':
    case 'bag':
    case 'struct':
      return `${node.kind.charAt(0).toUpperCase()}${node.kind.slice(1)}`;
    case 'between':
      return 'Between';
    case 'unary':
      return { not: 'Not', '+': 'Pos', '-': 'Neg' }[node.operator];
    case 'binary':
      return binaryNames[node.operator];
    case 'missing':
      return 'Missing';
    default:
      return 'Lit';
  }
}

const binaryNames = {
  '=': 'Eq',
  '<>': 'Ne',
  '<': 'Lt',
  '<=': 'Lte',
  '>': 'Gt',
  '>=': 'Gte',
  and: 'And',
  or: 'Or',
  in: 'InCollection',
  like: 'Like',
  '+': 'Plus',
  '-': 'Minus',
  '*': 'Times',
  '/': 'Divide',
  '%': 'Modulo',
  '||': 'Concat',
} as const;
