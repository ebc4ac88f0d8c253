import { indexesOf, keyNamesOf, type TableDescription } from '../wire/table-description.ts';
import { type BuiltQuery, builtOf, builtOfConditions, listOf, pathText } from './built-query.ts';
import { readTokens, TextProblem, type Token } from './condition-tokens.ts';
import { readLiteral } from './javascript-literal.ts';
import type { RequestForm } from './request-text.ts';

/**
 * The text typed into a form of a request, as the parts of the builder. Parts that the form cannot express (a statement has no limit) are kept.
 *
 * @throws {TextProblem} with the reason if it cannot be converted.
 */
export function readRequestText(
  form: RequestForm,
  text: string,
  table: TableDescription,
  known: BuiltQuery,
): BuiltQuery {
  switch (form) {
    case 'request':
      return builtOf(table, jsonOf(text));
    case 'sdk':
      return builtOf(table, sdkInput(text));
    case 'cli':
      return builtOf(table, cliInput(text));
    case 'partiql':
      return { ...known, ...selectOf(text, table) };
  }
}

function jsonOf(text: string): object {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new TextProblem(error instanceof Error ? error.message : String(error), { cause: error });
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new TextProblem('A request is an object: { "TableName": … }');
  return json;
}

function sdkInput(text: string): object {
  const [, operation, argument] = /new (\w+)Command\(([\s\S]*)/.exec(text) ?? [];
  if (operation === undefined || argument === undefined)
    throw new TextProblem('The code must send one command: client.send(new QueryCommand({ … })).');
  checkOperation(operation);
  return readLiteral(argument);
}

function cliInput(text: string): object {
  const [, command] = /aws\s+dynamodb\s+([\w-]+)/.exec(text) ?? [];
  const [, json] = /--cli-input-json\s+'((?:[^']|'\\'')*)'/.exec(text) ?? [];
  if (command === undefined || json === undefined)
    throw new TextProblem("The command must be aws dynamodb query or scan, with --cli-input-json '…'.");
  checkOperation(`${command.charAt(0).toUpperCase()}${command.slice(1)}`);
  return jsonOf(json.replaceAll(`'\\''`, "'"));
}

function checkOperation(operation: string): void {
  if (operation !== 'Query' && operation !== 'Scan')
    throw new TextProblem(`The builder makes a Query or a Scan, not ${operation}.`);
}

/** A SELECT of one table. @throws {TextProblem} */
function selectOf(
  text: string,
  table: TableDescription,
): Pick<BuiltQuery, 'index' | 'partition' | 'sort' | 'filters' | 'projection' | 'isDescending'> {
  const tokens = readTokens(text.replace(/;\s*$/, '').replaceAll(/^--.*$/gm, ''));
  const at = (word: string): number => tokens.findIndex((token) => token.kind === 'word' && token.text === word);
  const from = at('FROM');
  const place = tokens[from + 1];
  if (at('SELECT') !== 0 || from < 0 || place?.kind !== 'path')
    throw new TextProblem('The statement must be SELECT … FROM "table" or "table"."index".');
  const [tableName, index, ...more] = place.path;
  if (tableName !== table.TableName || typeof index === 'number' || more.length > 0)
    throw new TextProblem(`The builder shows the table ${table.TableName}: the statement must read from it.`);
  const where = at('WHERE');
  const order = at('ORDER');
  if ((where >= 0 && where !== from + 2) || (where < 0 && order < 0 && tokens.length > from + 2))
    throw new TextProblem('After the table comes WHERE or ORDER BY.');
  const columns = tokens.slice(1, from);
  const isAll = columns.length === 1 && columns[0]?.kind === 'sign' && columns[0].text === '*';
  const conditions = where < 0 ? [] : tokens.slice(where + 1, order < 0 ? undefined : order);
  return {
    index,
    ...builtOfConditions(table, index, conditions),
    projection: isAll ? [] : listOf(columns).map(pathText),
    isDescending: order >= 0 && isDescending(tokens.slice(order), table, index),
  };
}

function isDescending(order: readonly Token[], table: TableDescription, indexName: string | undefined): boolean {
  const [, by, key, direction, ...more] = order;
  const { sort } = keyNamesOf(indexesOf(table).find(({ IndexName }) => IndexName === indexName) ?? table);
  const isWhole = by?.kind === 'word' && by.text === 'BY' && key?.kind === 'path' && more.length === 0;
  if (!isWhole || key.path[0] !== sort || key.path.length > 1)
    throw new TextProblem(`The builder orders by the sort key: ORDER BY ${sort ?? '…'} ASC or DESC.`);
  return direction?.kind === 'word' && direction.text === 'DESC';
}
