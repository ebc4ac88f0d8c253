/** PartiQL for DynamoDB: from the text of a statement to conditions, updates and projections of the expressions. */
export { bindStatement } from './bind-statement.ts';
export type {
  DeleteStatement,
  ExistsStatement,
  InsertStatement,
  SelectStatement,
  Statement,
  UpdateStatement,
} from './bind-statement.ts';
export { conditionOf, type ConditionTree, pathsOf, type SimpleConditionTree } from './bind-condition.ts';
export { columnProjection } from './column-projection.ts';
export { parseStatement } from './parse-statement.ts';
export { printStatement } from './print-statement.ts';
export { statementProblems } from './statement-problem.ts';
