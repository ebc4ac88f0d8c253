import type { Condition } from '../patterns/value.ts';
import type { PatternInfo, ReadPart } from '../resolve/resolved.ts';
import type { Context } from './context.ts';
import { conditionText, Expression } from './expression.ts';
import { codecOf } from './item-codec.ts';
import { hasLead, queryExpires, type QueryPlan } from './query.ts';
import type { AddFilter } from './stream-reader.ts';

/**
 * The filter of a query: what its keys do not settle, what the caller chose, and items whose time has passed. It lets the one
 * item through that leads a collection, which lacks the attributes of the many.
 */
export function queryFilter(context: Context, pattern: PatternInfo, plan: QueryPlan): AddFilter {
  const { filters = [] } = pattern.need;
  const [first] = plan.parts as readonly [ReadPart];
  const many = (plan.parts.find((part) => part.many) ?? first).entity;
  const { typeAttribute } = many.table;
  const expires = queryExpires(pattern, plan);
  const allExpire = plan.parts.every(({ entity }) => {
    const attribute = entity.rules.expires;
    return attribute !== undefined && entity.attributes.get(attribute)?.optional === false;
  });
  return (request, input) => {
    const expression = new Expression();
    Object.assign(expression.names, request.ExpressionAttributeNames);
    Object.assign(expression.values, request.ExpressionAttributeValues);
    const scope = { stored: (name: string) => codecOf(context, many).stored(name), input };
    const given = filters.filter((name) => input[name] !== undefined).map((name) => [name, input[name]] as const);
    const chosen: Condition = { ...plan.filter, ...(Object.fromEntries(given) as Condition) };
    const tests: string[] = [];
    if (Object.keys(chosen).length > 0) {
      const test = conditionText(expression, chosen, scope);
      // Without a type there is one entity, and nothing leads its collection.
      const leads = hasLead(plan) && typeAttribute !== undefined;
      const isLead = leads && `${expression.name(typeAttribute)} <> ${expression.value({ S: many.type })}`;
      tests.push(isLead === false ? test : `(${isLead} OR ${test})`);
    }
    if (expires !== undefined) {
      const name = expression.name(expires);
      const live = `${name} > ${expression.value({ N: String(Math.floor(context.now() / 1000)) })}`;
      tests.push(allExpire ? live : `(attribute_not_exists(${name}) OR ${live})`);
    }
    if (tests.length === 0) return;
    request.FilterExpression = tests.join(' AND ');
    request.ExpressionAttributeNames = expression.names;
    request.ExpressionAttributeValues = expression.values;
  };
}
