import { testedAttributes } from '../patterns/condition.ts';
import { holds } from '../patterns/evaluate.ts';
import type { Condition } from '../patterns/value.ts';
import type { EntityInfo, PatternInfo, QueryStream } from '../resolve/resolved.ts';
import type { Context } from './context.ts';
import { conditionText, Expression, type Scope } from './expression.ts';
import { expiresAttribute } from './input-values.ts';
import { codecOf } from './item-codec.ts';
import { queryExpires, type QueryPlan } from './query.ts';
import { residualTests } from './residual-tests.ts';
import type { AddFilter } from './stream-reader.ts';

/**
 * The filter of a query: what its keys do not settle for each part, the filters that the caller chose, and the exclusion of expired
 * items. Tests of one part let the items of the others through.
 */
export function queryFilter(
  context: Context,
  pattern: PatternInfo,
  { parts }: QueryPlan,
  stream: QueryStream,
): AddFilter {
  const { need } = pattern;
  const testsOf = residualTests(need, stream.residuals);
  const always =
    stream.residuals.length > 0 || (need.filters ?? []).length > 0 || queryExpires(pattern, { parts }) !== undefined;
  return (request, input, now, more = []) => {
    if (!always && more.length === 0) return;
    const expression = new Expression();
    Object.assign(expression.names, request.ExpressionAttributeNames);
    Object.assign(expression.values, request.ExpressionAttributeValues);
    const tests: string[] = [];
    for (const part of parts) {
      const isLead = !part.many && parts.length > 1;
      const own = isLead ? leadTests(stream, part) : [...testsOf(part, input), ...more];
      const { entity } = part;
      const { typeAttribute } = entity.table;
      const scope = { stored: (name: string) => codecOf(context, entity).stored(name), input };
      const texts = own.map((test) => storedText(expression, test, scope, entity));
      const expires = need.expired === true ? undefined : expiresAttribute(entity);
      if (expires !== undefined) texts.push(liveText(expression, entity, expires, now));
      if (texts.length === 0) continue;
      // Without a type attribute there is one entity in the table.
      if (parts.length === 1 || typeAttribute === undefined) tests.push(...texts);
      else {
        const other = `${expression.name(typeAttribute)} <> ${expression.value({ S: entity.type })}`;
        tests.push(`(${other} OR ${texts.length === 1 ? texts.join('') : `(${texts.join(' AND ')})`})`);
      }
    }
    if (tests.length === 0) return;
    request.FilterExpression = tests.join(' AND ');
    request.ExpressionAttributeNames = expression.names;
    request.ExpressionAttributeValues = expression.values;
  };
}

function leadTests({ residuals }: QueryStream, part: unknown): readonly Condition[] {
  return residuals.find((residual) => residual.part === part)?.tests ?? [];
}

function liveText(expression: Expression, { rules, attributes }: EntityInfo, expires: string, now: number): string {
  const name = expression.name(expires);
  const live = `${name} > ${expression.value({ N: String(Math.floor(now / 1000)) })}`;
  const always = rules.expires !== undefined && attributes.get(rules.expires)?.optional === false;
  return always ? live : `(attribute_not_exists(${name}) OR ${live})`;
}

/** A test of stored items. If an item lacks an attribute with a default, the default is tested. */
export function storedText(expression: Expression, test: Condition, scope: Scope, entity: EntityInfo): string {
  const { any } = test as { readonly any?: unknown };
  if (Array.isArray(any)) {
    const texts = any.map((each) => storedText(expression, each as Condition, scope, entity));
    return texts.length === 1 ? (texts[0] ?? '') : `(${texts.join(' OR ')})`;
  }
  const entries = Object.entries(test);
  if (entries.length > 1) {
    const texts = entries.map(([path, each]) => storedText(expression, { [path]: each }, scope, entity));
    return `(${texts.join(' AND ')})`;
  }
  const text = conditionText(expression, test, scope);
  const [attribute = ''] = testedAttributes(test);
  const fallback = entity.attributes.get(attribute)?.fallback;
  if (fallback === undefined) return text;
  const name = expression.name(scope.stored(attribute));
  return holds(test, { [attribute]: fallback }, scope.input)
    ? `(attribute_not_exists(${name}) OR ${text})`
    : `(attribute_exists(${name}) AND ${text})`;
}
