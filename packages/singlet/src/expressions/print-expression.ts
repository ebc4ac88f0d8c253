import type { ActionNode, ExpressionTree, OperandNode, PathNode, SectionNode, TermNode } from './syntax-tree.ts';

/** The text of a tree, with one blank between words. Parsing it gives the same tree, except for the positions. */
export function printExpression(tree: ExpressionTree): string {
  if (tree.kind === 'update') return tree.sections.map(printSection).join(' ');
  if (tree.kind === 'projection') return tree.paths.map(printPath).join(', ');
  return printTerm(tree);
}

function printSection(section: SectionNode): string {
  return `${section.verb} ${section.actions.map(printAction).join(', ')}`;
}

function printAction(action: ActionNode): string {
  const path = printPath(action.path);
  switch (action.kind) {
    case 'set':
      return `${path} = ${printTerm(action.value)}`;
    case 'remove':
      return path;
    case 'add':
    case 'delete':
      return `${path} ${action.value.name}`;
  }
}

function printTerm(node: TermNode): string {
  switch (node.kind) {
    case 'path':
      return printPath(node);
    case 'value':
      return node.name;
    case 'call':
      return `${node.functionName}(${printOperands(node.operands)})`;
    case 'group':
      return `(${printTerm(node.inner)})`;
    case 'comparison':
      return `${printTerm(node.left)} ${node.comparator} ${printTerm(node.right)}`;
    case 'between':
      return `${printTerm(node.operand)} BETWEEN ${printTerm(node.lower)} AND ${printTerm(node.upper)}`;
    case 'in':
      return `${printTerm(node.operand)} IN (${printOperands(node.candidates)})`;
    case 'not':
      return `NOT ${printTerm(node.inner)}`;
    case 'and':
      return `${printTerm(node.left)} AND ${printTerm(node.right)}`;
    case 'or':
      return `${printTerm(node.left)} OR ${printTerm(node.right)}`;
    case 'arithmetic':
      return `${printTerm(node.left)} ${node.operator} ${printTerm(node.right)}`;
  }
}

function printOperands(operands: readonly OperandNode[]): string {
  return operands.map(printTerm).join(', ');
}

function printPath(path: PathNode): string {
  let text = '';
  for (const element of path.elements) {
    if (element.kind === 'index') text += `[${element.digits}]`;
    else text += text === '' ? element.name : `.${element.name}`;
  }
  return text;
}
