import {
  type PolicyCondition,
  type PolicyDocument,
  type PolicyPatterns,
  type PolicyPrincipals,
  principalKinds,
} from '../../access/policy/policy-statement.ts';

/**
 * A policy in the form in which it is returned: without blanks, its members in a fixed order, a list of one as its only element. A document
 * in this form is parsed and printed unchanged; one without a version gets the version that this implies.
 */
export function printPolicy({ version, id, statements }: PolicyDocument): string {
  return JSON.stringify({
    Version: version ?? '2008-10-17',
    ...(id !== undefined && { Id: id }),
    Statement: statements.map(({ sid, effect, principals, actions, resources, conditions }) => ({
      ...(sid !== undefined && { Sid: sid }),
      Effect: effect,
      ...(principals !== undefined && { [nameOf('Principal', principals)]: printPrincipals(principals) }),
      [nameOf('Action', actions)]: oneOrList(actions.patterns),
      [nameOf('Resource', resources)]: oneOrList(resources.patterns),
      ...(conditions.length > 0 && { Condition: printConditions(conditions) }),
    })),
  });
}

function nameOf(what: string, { isExcluded }: PolicyPatterns | PolicyPrincipals): string {
  return isExcluded ? `Not${what}` : what;
}

function printPrincipals({ isEverybody, names }: PolicyPrincipals): unknown {
  if (isEverybody) return '*';
  const byKind = principalKinds.map((kind) => [kind, names.filter((name) => name.kind === kind)] as const);
  return Object.fromEntries(
    byKind.flatMap(([kind, some]) => (some.length === 0 ? [] : [[kind, oneOrList(some.map(({ name }) => name))]])),
  );
}

/** Null prototypes, because operators and keys are names from a request. */
function printConditions(conditions: readonly PolicyCondition[]): unknown {
  const printed = Object.create(null) as Record<string, Record<string, unknown>>;
  for (const { operator, key, values } of conditions) {
    const byKey = (printed[operator] ??= Object.create(null) as Record<string, unknown>);
    byKey[key] = oneOrList(values);
  }
  return printed;
}

function oneOrList<T>(values: readonly T[]): T | readonly T[] {
  const [first, ...others] = values;
  return first !== undefined && others.length === 0 ? first : values;
}
