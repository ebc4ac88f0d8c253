import { isReservedWord } from '../values/reserved-words.ts';
import type { ExpressionKind } from './expression-kind.ts';
import {
  functionNotAllowed,
  indexOutOfRange,
  invalidExpression,
  misusedFunction,
  repeatedSection,
  reservedKeyword,
  unknownFunction,
} from './expression-problem.ts';
import { functionDefinitions, isFunctionName } from './functions.ts';
import type { CallNode, ExpressionTree, PathNode, TermNode, UpdateNode, UpdateVerb } from './syntax-tree.ts';

/**
 * Checks what is visible in the text alone, whatever its placeholders represent: reserved words, list positions, which
 * functions are called and where. Reports the first problem in the order of the text. In an update, the sections of
 * one verb are read together, and a repeated verb is reported after the problems within its sections.
 *
 * Recursion is bounded by the number of operators, which the parser checked.
 *
 * @throws {ValidationException}
 */
export function checkNames(tree: ExpressionTree, kind: ExpressionKind): void {
  const checker = new NameChecker(kind);
  if (tree.kind === 'update') checker.checkUpdate(tree);
  else if (tree.kind === 'projection') tree.paths.forEach((path) => checker.checkPath(path));
  else checker.checkTerm(tree, 'condition');
}

/** The largest position that the service accepts: all 32-bit numbers except the last. */
const listIndexMax = 2 ** 32 - 2;

/** Where a term is; see the places of function definitions. */
type TermPosition = 'condition' | 'condition-operand' | 'set-value' | 'set-operand';

class NameChecker {
  readonly #kind: ExpressionKind;

  constructor(kind: ExpressionKind) {
    this.#kind = kind;
  }

  checkUpdate({ sections }: UpdateNode): void {
    const verbs = new Set<UpdateVerb>(sections.map(({ verb }) => verb));
    for (const verb of verbs) {
      const sectionsOfVerb = sections.filter((section) => section.verb === verb);
      for (const { actions } of sectionsOfVerb) {
        for (const action of actions) {
          this.checkPath(action.path);
          if (action.kind === 'set') this.checkTerm(action.value, 'set-value');
        }
      }
      if (sectionsOfVerb.length > 1) throw invalidExpression(this.#kind, repeatedSection(verb));
    }
  }

  checkPath({ elements }: PathNode): void {
    for (const element of elements) {
      if (element.kind === 'attribute' && isReservedWord(element.name)) {
        throw invalidExpression(this.#kind, reservedKeyword(element.name));
      }
      if (element.kind === 'index' && Number(element.digits) > listIndexMax) {
        throw invalidExpression(this.#kind, indexOutOfRange(element.digits));
      }
    }
  }

  checkTerm(node: TermNode, place: TermPosition): void {
    const operandPlace = place.startsWith('condition') ? 'condition-operand' : 'set-operand';
    switch (node.kind) {
      case 'path':
        return this.checkPath(node);
      case 'value':
        return;
      case 'group':
        return this.checkTerm(node.inner, place);
      case 'call':
        this.#checkCall(node, place);
        return node.operands.forEach((operand) => this.checkTerm(operand, operandPlace));
      case 'and':
      case 'or':
        this.checkTerm(node.left, 'condition');
        return this.checkTerm(node.right, 'condition');
      case 'not':
        return this.checkTerm(node.inner, 'condition');
      case 'comparison':
      case 'arithmetic':
        this.checkTerm(node.left, operandPlace);
        return this.checkTerm(node.right, operandPlace);
      case 'between':
        this.checkTerm(node.operand, operandPlace);
        this.checkTerm(node.lower, operandPlace);
        return this.checkTerm(node.upper, operandPlace);
      case 'in':
        this.checkTerm(node.operand, operandPlace);
        return node.candidates.forEach((candidate) => this.checkTerm(candidate, operandPlace));
    }
  }

  #checkCall({ functionName }: CallNode, place: TermPosition): void {
    if (!isFunctionName(functionName)) throw invalidExpression(this.#kind, unknownFunction(functionName));
    const allowed = functionDefinitions[functionName].place;
    const isConditionFunction = allowed === 'condition' || allowed === 'condition-operand';
    if (isConditionFunction !== place.startsWith('condition')) {
      const where = isConditionFunction ? 'an update' : 'a condition';
      throw invalidExpression(this.#kind, functionNotAllowed(functionName, where));
    }
    // Assumed for sums: the service is known to refuse list_append within functions.
    const fits = allowed === place || (allowed === 'set-operand' && place === 'set-value');
    if (!fits) throw invalidExpression(this.#kind, misusedFunction(functionName));
  }
}
