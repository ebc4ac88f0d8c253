import { type ReactNode, useState } from 'react';
import type { AttributeTypeTag, AttributeValue } from '../../../../singlet/src/values/attribute-value.ts';
import {
  type BuiltQuery,
  type Filter,
  type FilterOperator,
  filterOperators,
  type SortTermOperator,
  sortTermOperators,
  valueCountOf,
} from '../../request-text/built-query.ts';
import { Icon } from '../../ui/icon.tsx';
import { textOfValue, ValueError, valueOfText } from '../../values/value-problem.ts';
import { keyText } from '../../values/value-text.ts';
import { indexesOf, keyNamesOf, keyTypeOf, type TableDescription } from '../../wire/table-description.ts';

interface QueryFieldsProps {
  readonly table: TableDescription;
  readonly built: BuiltQuery;
  readonly tableNames: readonly string[];
  readonly onTable: (name: string) => void;
  readonly onChange: (built: BuiltQuery) => void;
}

/** The request as fields: table or index, key conditions, filters, and read options. */
export function QueryFields({ table, built, tableNames, onTable, onChange }: QueryFieldsProps): ReactNode {
  return (
    <div className="query-fields">
      <div className="field-line">
        <label className="token mono">
          <span>Table</span>
          <select value={table.TableName} onChange={(event) => onTable(event.target.value)}>
            {tableNames.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label className="token mono">
          <span>Index</span>
          <select
            value={built.index ?? ''}
            onChange={(event) =>
              onChange({ ...built, index: event.target.value || undefined, partition: undefined, sort: undefined })
            }
          >
            <option value="">none: the table</option>
            {indexesOf(table).map(({ IndexName }) => (
              <option key={IndexName}>{IndexName}</option>
            ))}
          </select>
        </label>
        <KeyFields table={table} built={built} onChange={onChange} />
      </div>
      {built.filters.map((filter, at) => (
        // Filters have no names of their own. Removing one removes its fields.
        <FilterFields
          key={`${at} of ${built.filters.length}`}
          number={at + 1}
          filter={filter}
          onChange={(next) =>
            onChange({
              ...built,
              filters: next === undefined ? built.filters.toSpliced(at, 1) : built.filters.with(at, next),
            })
          }
        />
      ))}
      <div className="field-line">
        <button
          type="button"
          className="button"
          onClick={() =>
            onChange({ ...built, filters: [...built.filters, { attribute: '', operator: '=', values: [{ S: '' }] }] })
          }
        >
          Add a filter
        </button>
        <button
          type="button"
          className="button plain"
          onClick={() => onChange({ ...built, filters: [...built.filters, { expression: '' }] })}
        >
          Add a written condition
        </button>
        <Projection built={built} onChange={onChange} />
        <label className="token mono">
          <span>Limit</span>
          <input
            inputMode="numeric"
            className="short"
            value={built.limit ?? ''}
            placeholder="none"
            onChange={(event) =>
              onChange({ ...built, limit: Number(/^\d{1,9}/.exec(event.target.value)?.[0]) || undefined })
            }
          />
        </label>
        <label className="choice">
          <input
            type="checkbox"
            checked={built.isDescending}
            disabled={built.partition === undefined}
            onChange={(event) => onChange({ ...built, isDescending: event.target.checked })}
          />
          Descending
        </label>
        <label className="choice">
          <input
            type="checkbox"
            checked={built.isConsistent}
            disabled={isGlobal(table, built.index) && !built.isConsistent}
            onChange={(event) => onChange({ ...built, isConsistent: event.target.checked })}
          />
          Strongly consistent
        </label>
      </div>
    </div>
  );
}

function isGlobal(table: TableDescription, index: string | undefined): boolean {
  return indexesOf(table).some(({ IndexName, kind }) => IndexName === index && kind === 'global');
}

function KeyFields({ table, built, onChange }: Pick<QueryFieldsProps, 'table' | 'built' | 'onChange'>): ReactNode {
  const index = indexesOf(table).find(({ IndexName }) => IndexName === built.index);
  const { partition, sort } = keyNamesOf(index ?? table);
  const typed = (name: string, text: string): AttributeValue => {
    const type = keyTypeOf(table, name);
    return type === 'N' ? { N: text } : type === 'B' ? { B: text } : { S: text };
  };
  // The operator is kept here while there is no value with which the request could contain it.
  const [chosenOperator, setChosenOperator] = useState<SortTermOperator>('begins_with');
  const operator = built.sort?.operator ?? chosenOperator;
  const [from, to] = built.sort?.values ?? [];
  const setSort = (chosen: typeof operator, texts: readonly string[]): void =>
    onChange({
      ...built,
      sort:
        sort === undefined || texts.every((text) => text === '')
          ? undefined
          : { operator: chosen, values: texts.map((text) => typed(sort, text)) },
    });
  return (
    <>
      <label className="token mono grow">
        <span>{partition} =</span>
        <input
          id="query-pk"
          value={keyText(built.partition)}
          placeholder="any: a scan"
          spellCheck={false}
          autoComplete="off"
          onChange={({ target: { value } }) =>
            onChange({
              ...built,
              partition: value === '' ? undefined : typed(partition, value),
              sort: value === '' ? undefined : built.sort,
              isDescending: value !== '' && built.isDescending,
            })
          }
        />
      </label>
      {sort !== undefined && (
        <span className="token mono grow">
          <span>{sort}</span>
          <SortOperator
            name={sort}
            operator={operator}
            isDisabled={built.partition === undefined}
            onChange={(chosen) => {
              setChosenOperator(chosen);
              setSort(chosen, chosen === 'between' ? [keyText(from), keyText(to)] : [keyText(from)]);
            }}
          />
          <input
            aria-label={sort}
            value={keyText(from)}
            placeholder="any"
            disabled={built.partition === undefined}
            spellCheck={false}
            autoComplete="off"
            onChange={({ target: { value } }) =>
              setSort(operator, operator === 'between' ? [value, keyText(to)] : [value])
            }
          />
          {operator === 'between' && (
            <input
              aria-label={`${sort} to`}
              value={keyText(to)}
              placeholder="and"
              spellCheck={false}
              autoComplete="off"
              onChange={({ target: { value } }) => setSort(operator, [keyText(from), value])}
            />
          )}
        </span>
      )}
    </>
  );
}

function SortOperator({
  name,
  operator,
  isDisabled,
  onChange,
}: {
  readonly name: string;
  readonly operator: SortTermOperator;
  readonly isDisabled: boolean;
  readonly onChange: (operator: SortTermOperator) => void;
}): ReactNode {
  return (
    <select
      aria-label={`Condition on ${name}`}
      value={operator}
      disabled={isDisabled}
      onChange={(event) => onChange(sortTermOperators.find((each) => each === event.target.value) ?? 'begins_with')}
    >
      {sortTermOperators.map((each) => (
        <option key={each} value={each}>
          {each.replace('_', ' ')}
        </option>
      ))}
    </select>
  );
}

interface FilterFieldsProps {
  readonly number: number;
  readonly filter: Filter;
  readonly onChange: (filter: Filter | undefined) => void;
}

function FilterFields({ number, filter, onChange }: FilterFieldsProps): ReactNode {
  return (
    <div className="field-line" role="group" aria-label={`Filter ${number}`}>
      <span className="quiet">{number === 1 ? 'where' : 'and'}</span>
      {'expression' in filter ? (
        <input
          className="field mono grow"
          aria-label="Condition"
          value={filter.expression}
          placeholder="size(Tags) > 2 OR Status = 'OPEN'"
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => onChange({ expression: event.target.value })}
        />
      ) : (
        <>
          <input
            className="field mono"
            aria-label="Attribute"
            value={filter.attribute}
            placeholder="attribute or a.path[0]"
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => onChange({ ...filter, attribute: event.target.value })}
          />
          <select
            className="field mono"
            aria-label="Operator"
            value={filter.operator}
            onChange={(event) => onChange(withOperator(filter, event.target.value))}
          >
            {filterOperators.map((each) => (
              <option key={each} value={each}>
                {each.replace('_', ' ')}
              </option>
            ))}
          </select>
          {filter.values.map((value, at) => (
            <ValueField
              key={`${at} of ${filter.operator}`}
              label={filter.values.length > 1 ? `Value ${at + 1}` : 'Value'}
              value={value}
              onChange={(next) => onChange({ ...filter, values: filter.values.with(at, next) })}
            />
          ))}
          {filter.operator === 'in' && (
            <button
              type="button"
              className="button plain"
              onClick={() => onChange({ ...filter, values: [...filter.values, { S: '' }] })}
            >
              Another value
            </button>
          )}
        </>
      )}
      <button
        type="button"
        className="button plain"
        aria-label={`Remove filter ${number}`}
        onClick={() => onChange(undefined)}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}

/** Drops the values that an operator does not take, and adds empty ones that it lacks. */
function withOperator(filter: Exclude<Filter, { readonly expression: string }>, name: string): Filter {
  const operator: FilterOperator = filterOperators.find((each) => each === name) ?? '=';
  const count = valueCountOf(operator);
  const values = Array.from({ length: count }, (_, at): AttributeValue => filter.values[at] ?? { S: '' });
  return { ...filter, operator, values };
}

const filterTypes: readonly AttributeTypeTag[] = ['S', 'N', 'BOOL', 'NULL', 'B', 'SS', 'NS', 'BS', 'L', 'M'];

/** The typed text is kept until it is a valid value. */
function ValueField({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: AttributeValue;
  readonly onChange: (value: AttributeValue) => void;
}): ReactNode {
  const [type = 'S'] = Object.keys(value) as AttributeTypeTag[]; // a value has one member
  const [draft, setDraft] = useState<{
    readonly type: AttributeTypeTag;
    readonly text: string;
    readonly problem: string;
  }>();
  const change = (nextType: AttributeTypeTag, text: string): void => {
    try {
      onChange(valueOfText(nextType, text));
      setDraft(undefined);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      setDraft({ type: nextType, text, problem: error.message });
    }
  };
  const shownType = draft?.type ?? type;
  const text = draft?.text ?? textOfValue(value);
  return (
    <span className="value-field">
      {shownType === 'BOOL' ? (
        <select
          className="field mono"
          aria-label={label}
          value={text}
          onChange={(event) => change('BOOL', event.target.value)}
        >
          <option>true</option>
          <option>false</option>
        </select>
      ) : (
        <input
          className="field mono"
          aria-label={label}
          value={text}
          readOnly={shownType === 'NULL'}
          aria-invalid={draft !== undefined}
          title={draft?.problem}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => change(shownType, event.target.value)}
        />
      )}
      <select
        className="field mono type"
        aria-label={`Type of ${label.toLowerCase()}`}
        value={shownType}
        onChange={(event) => {
          const chosen = filterTypes.find((each) => each === event.target.value) ?? 'S';
          change(chosen, beginnings[chosen] ?? text);
        }}
      >
        {filterTypes.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      {draft && (
        <span className="problem" role="status">
          {draft.problem}
        </span>
      )}
    </span>
  );
}

/** The initial value of a type, if the text typed for another type is not valid for it. */
const beginnings: Partial<Record<AttributeTypeTag, string>> = {
  BOOL: 'true',
  NULL: 'null',
  L: '[]',
  M: '{}',
  SS: '["a"]',
  NS: '["1"]',
  BS: '[""]',
};

/** Attributes separated by commas; a name that contains a comma is in quotes. */
function Projection({ built, onChange }: Pick<QueryFieldsProps, 'built' | 'onChange'>): ReactNode {
  const [draft, setDraft] = useState<string>();
  const text = built.projection.join(', ');
  return (
    <label className="token mono grow">
      <span>Attributes</span>
      <input
        value={draft ?? text}
        placeholder="all"
        spellCheck={false}
        autoComplete="off"
        onBlur={() => setDraft(undefined)}
        onChange={({ target: { value } }) => {
          setDraft(value);
          onChange({ ...built, projection: partedByCommas(value) });
        }}
      />
    </label>
  );
}

function partedByCommas(text: string): readonly string[] {
  return (text.match(/(?:"(?:[^"]|"")*"|[^,"])+/g) ?? []).map((part) => part.trim()).filter((part) => part !== '');
}
