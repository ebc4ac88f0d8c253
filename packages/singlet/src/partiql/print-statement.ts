import type {
  ActionNode,
  ExpressionNode,
  OrderNode,
  PathNode,
  ReturningNode,
  SelectNode,
  SourceNode,
} from './syntax-tree.ts';

/**
 * The text of a tree, with parentheses where the tree needs them and every name in quotes. Parsing it gives the same
 * tree, except for the positions.
 */
export function printStatement(node: ExpressionNode): string {
  return print(node, 0);
}

/** How tightly a node binds; a node that binds less tightly than its place allows is put into parentheses. */
const atomBinding = 100;

function bindingOf(node: ExpressionNode): number {
  switch (node.kind) {
    case 'binary':
      return binaryBindings[node.operator];
    case 'between':
      return 50;
    case 'is':
      return 40;
    case 'unary':
      return node.operator === 'not' ? 30 : 80;
    case 'select':
    case 'insert':
    case 'update':
    case 'delete':
      return 1;
    default:
      return atomBinding;
  }
}

const binaryBindings = {
  or: 10,
  and: 20,
  '=': 40,
  '<>': 40,
  in: 40,
  '<': 50,
  '<=': 50,
  '>': 50,
  '>=': 50,
  like: 50,
  '+': 60,
  '-': 60,
  '||': 60,
  '*': 70,
  '/': 70,
  '%': 70,
} as const;

/** @param least - how tightly the node must bind to need no parentheses. */
function print(node: ExpressionNode, least: number): string {
  const text = printBare(node);
  return bindingOf(node) < least ? `(${text})` : text;
}

function printBare(node: ExpressionNode): string {
  switch (node.kind) {
    case 'string':
      return `'${node.value.replaceAll("'", "''")}'`;
    case 'number':
      return node.text;
    case 'boolean':
      return node.value ? 'true' : 'false';
    case 'null':
    case 'missing':
      return node.kind.toUpperCase();
    case 'parameter':
      return '?';
    case 'list':
      return `[${printAll(node.elements)}]`;
    case 'bag':
      return `<<${printAll(node.elements)}>>`;
    case 'struct':
      return `{${node.members.map(({ key, value }) => `${print(key, 0)}: ${print(value, 0)}`).join(', ')}}`;
    case 'path':
      return printPath(node);
    case 'call':
      return `${node.functionName}(${node.ofAll ? '*' : printAll(node.operands)})`;
    case 'unary':
      return node.operator === 'not' ? `NOT ${print(node.operand, 31)}` : `${node.operator} ${print(node.operand, 80)}`;
    case 'binary': {
      const binding = binaryBindings[node.operator];
      const operator = `${node.negated ? 'NOT ' : ''}${node.operator.toUpperCase()}`;
      return `${print(node.left, binding)} ${operator} ${print(node.right, binding + 1)}`;
    }
    case 'between':
      return `${print(node.operand, 50)} ${node.negated ? 'NOT ' : ''}BETWEEN ${print(node.lower, 51)} AND ${print(node.upper, 51)}`;
    case 'is':
      return `${print(node.operand, 40)} IS ${node.negated ? 'NOT ' : ''}${printType(node.typeName)}`;
    case 'select':
      return printSelect(node);
    case 'insert':
      return `INSERT INTO ${printPath(node.target)} ${node.form === 'value' ? 'VALUE ' : ''}${print(node.value, 0)}${printReturning(node.returning)}`;
    case 'update': {
      const where = printWhere(node.where);
      const actions = node.actions.map(printAction).join(' ');
      const body = node.form === 'from' ? `${where} ${actions}` : ` ${actions}${where}`;
      const word = node.form === 'from' ? 'FROM' : 'UPDATE';
      return `${word} ${printSource(node.source)}${body}${printReturning(node.returning)}`;
    }
    case 'delete':
      return `DELETE FROM ${printSource(node.source)}${printWhere(node.where)}${printReturning(node.returning)}`;
  }
}

function printAll(nodes: readonly ExpressionNode[]): string {
  return nodes.map((node) => print(node, 0)).join(', ');
}

function printType(typeName: string): string {
  return typeName.toUpperCase().replace('_', ' ');
}

function printPath({ root, elements }: PathNode): string {
  let text = printName(root);
  for (const element of elements) {
    if (element.kind === 'name') text += `.${printName(element.name)}`;
    else text += element.kind === 'wildcard' ? '.*' : `[${print(element.index, 0)}]`;
  }
  return text;
}

function printName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function printSource({ expression, aliased }: SourceNode): string {
  return `${print(expression, 7)}${aliased ? ' AS "alias"' : ''}`;
}

function printWhere(where: ExpressionNode | undefined): string {
  return where === undefined ? '' : ` WHERE ${print(where, 7)}`;
}

function printReturning(returning: ReturningNode | undefined): string {
  return returning === undefined ? '' : ` RETURNING ${returningText(returning)}`;
}

/** `ALL OLD *` */
export function returningText({ which, version }: ReturningNode): string {
  return `${which.toUpperCase()} ${version.toUpperCase()} *`;
}

function printAction(action: ActionNode): string {
  const path = printPath(action.path);
  return action.kind === 'remove' ? `REMOVE ${path}` : `SET ${path} = ${print(action.value, 0)}`;
}

function printSelect(node: SelectNode): string {
  const modifier = node.modifier === undefined ? '' : `${node.modifier.toUpperCase()} `;
  const columns =
    node.columns
      ?.map(({ expression, aliased }) => `${print(expression, 0)}${aliased ? ' AS "alias"' : ''}`)
      .join(', ') ?? '*';
  const joined = node.joined ? ', "joined"' : '';
  const order = node.orderBy === undefined ? '' : ` ORDER BY ${node.orderBy.map(printOrder).join(', ')}`;
  const rest = node.unsupported.map(({ clause }) => ` ${clause} 1`).join('');
  return `SELECT ${modifier}${columns} FROM ${printSource(node.from)}${joined}${printWhere(node.where)}${order}${rest}`;
}

function printOrder({ expression, direction }: OrderNode): string {
  return `${print(expression, 0)}${direction === undefined ? '' : ` ${direction.toUpperCase()}`}`;
}
