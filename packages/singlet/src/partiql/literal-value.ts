import {
  type AttributeValue,
  getAttribute,
  type MutableAttributeMap,
  setAttribute,
} from '../values/attribute-value.ts';
import { attributeNameProblem } from '../values/check-attribute-value.ts';
import { canonicalizeNumber } from '../values/decimal.ts';
import { serviceLimits } from '../values/limits.ts';
import { ValidationException } from '../values/service-error.ts';
import { inSetOrder } from '../values/set-order.ts';
import { problemAt, statementProblems } from './statement-problem.ts';
import type { ExpressionNode, SequenceNode, StructNode } from './syntax-tree.ts';

/**
 * The attribute value that a literal represents. Parameters are not part of literals: `[?]` is refused.
 *
 * @param statement - the whole text, for places in error texts.
 * @throws {ValidationException} naming the place within the value, which is called `root`.
 */
export function literalValue(node: ExpressionNode, statement: string): AttributeValue {
  return convert(node, { statement, place: 'root', level: 1 });
}

/** Whether a node is a literal, even if it has errors inside. */
export function isLiteral({ kind }: ExpressionNode): boolean {
  return literalKinds.has(kind);
}

const literalKinds: ReadonlySet<ExpressionNode['kind']> = new Set([
  'string',
  'number',
  'boolean',
  'null',
  'list',
  'bag',
  'struct',
]);

interface Where {
  readonly statement: string;
  /** `root.a[0]` */
  readonly place: string;
  /** Depth of the document so far. */
  readonly level: number;
}

/** The limit on levels bounds the recursion. */
function convert(node: ExpressionNode, where: Where): AttributeValue {
  if (where.level > serviceLimits.nestingDepthMax) {
    throw new ValidationException(statementProblems.nesting(where.place));
  }
  switch (node.kind) {
    case 'string':
      return { S: node.value };
    case 'number':
      return { N: numberAt(node.text, where) };
    case 'boolean':
      return { BOOL: node.value };
    case 'null':
      return { NULL: true };
    case 'list':
      return { L: node.elements.map((element, index) => convert(element, within(where, `[${index}]`))) };
    case 'struct':
      return { M: convertMembers(node, where) };
    case 'bag':
      return convertBag(node, where);
    default:
      throw unsupported(node, where);
  }
}

function within({ statement, place, level }: Where, step: string): Where {
  return { statement, place: `${place}${step}`, level: level + 1 };
}

function numberAt(text: string, { place }: Where): string {
  try {
    return canonicalizeNumber(text, 'older');
  } catch (error) {
    throw error instanceof ValidationException ? new ValidationException(`${error.message} under ${place}`) : error;
  }
}

function convertMembers(node: StructNode, where: Where): MutableAttributeMap {
  const map: MutableAttributeMap = {};
  for (const { name, value } of namedMembers(node, where.statement, where.place)) {
    setAttribute(map, name, convert(value, within(where, `.${name}`)));
  }
  return map;
}

/**
 * The members of a tuple with their names.
 *
 * @throws {ValidationException} for a key that is not a string, or occurs twice. Assumed: the texts.
 */
export function namedMembers(
  { members }: StructNode,
  statement: string,
  place: string,
): readonly { readonly name: string; readonly value: ExpressionNode }[] {
  const seen: MutableAttributeMap = {};
  return members.map(({ key, value }) => {
    if (key.kind !== 'string') throw unsupported(key, { statement, place, level: 1 });
    const problem = attributeNameProblem(key.value);
    if (problem !== undefined) throw new ValidationException(problem);
    if (getAttribute(seen, key.value) !== undefined) {
      throw new ValidationException(statementProblems.duplicateKey(key.value, place));
    }
    setAttribute(seen, key.value, { NULL: true });
    return { name: key.value, value };
  });
}

/** A bag is a set, of strings or of numbers; binary sets can be parameters only. */
function convertBag({ elements }: SequenceNode, where: Where): AttributeValue {
  const [first] = elements;
  if (first === undefined) throw new ValidationException(statementProblems.emptyBag);
  const parameter = elements.findIndex(({ kind }) => kind === 'parameter');
  const atFault = elements[parameter];
  if (atFault !== undefined) throw unsupported(atFault, within(where, `[${parameter}]`));
  const strings = elements.flatMap((element) => (element.kind === 'string' ? [element.value] : []));
  const numbers = elements.flatMap((element) => (element.kind === 'number' ? [element.text] : []));
  if (strings.length < elements.length && numbers.length < elements.length) {
    throw new ValidationException(statementProblems.mixedBag);
  }
  if (strings.length > 0) {
    if (new Set(strings).size < strings.length) throw duplicates(strings, '.');
    return { SS: inSetOrder(strings, 'SS') };
  }
  const canonical = numbers.map((text) => numberAt(text, where));
  if (new Set(canonical).size < canonical.length) throw duplicates(numbers, `! under ${where.place}`);
  return { NS: inSetOrder(canonical, 'NS') };
}

function duplicates(elements: readonly string[], ending: string): ValidationException {
  return new ValidationException(
    `One or more parameter values were invalid: Input collection [${elements.join(', ')}] contains duplicates${ending}`,
  );
}

function unsupported(node: ExpressionNode, { statement, place }: Where): ValidationException {
  return unsupportedValue(node, statement, place);
}

/** The error for a value that cannot be stored: the service names a function by its name, and a parameter as such. The rest is assumed. */
export function unsupportedValue(node: ExpressionNode, statement: string, place = 'root'): ValidationException {
  return problemAt(statementProblems.dataType(nameOf(node), place), node.head, statement);
}

function nameOf(node: ExpressionNode): string {
  if (node.kind === 'call') return node.functionName;
  if (node.kind === 'path') return node.root;
  return node.kind === 'binary' || node.kind === 'unary'
    ? node.operator
    : `${node.kind.charAt(0).toUpperCase()}${node.kind.slice(1)}`;
}
