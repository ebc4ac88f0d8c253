import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useState } from 'react';
import type { AttributeMap, AttributeValue } from '../../../singlet/src/values/attribute-value.ts';
import { type Entity, Entities } from '../grid/entities.ts';
import { Badge } from '../ui/badge.tsx';
import { Modal } from '../ui/modal.tsx';
import { keyText, typedText } from '../values/value-text.ts';
import { call } from '../wire/client.ts';
import { indexesOf, keyNamesOf, keyTypeOf, type TableDescription } from '../wire/table-description.ts';
import { type Address, type CollectionsAddress, navigate } from './address.ts';
import { setTheme, themes } from './appearance.ts';
import { catalog, useCatalog } from './catalog.ts';
import { destinations } from './destinations.ts';
import { keyPrefixes } from './key-prefixes.ts';
import { entitiesIn, type ModelsState, useModels } from './models.ts';
import './palette.css';

interface Choice {
  readonly id: string;
  readonly group: 'Key' | 'Place' | 'Table' | 'Pattern' | 'Command';
  readonly title: string;
  readonly detail: string;
  /** That a key identifies, or of the first item that it leads to. */
  readonly entity?: Entity | undefined;
  readonly run: () => void;
}

/** Maximum requests for one text: each known form of a key is tried once. */
const keyTriesMax = 6;
const restMs = 120;
const choicesMax = 50;

/** Finds everything by name: keys, views, tables, indexes, commands. Keys are found by requests. */
export function Palette({
  address,
  onKeys,
  onClose,
}: {
  readonly address: Address;
  /** Shows the list of keys. */
  readonly onKeys: () => void;
  readonly onClose: () => void;
}): ReactNode {
  const { tables } = useCatalog();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const place = address.view === 'collections' ? address : undefined;
  const table = tables.find(({ TableName }) => TableName === place?.table);
  const models = useModels();
  const { found, log } = useFoundKeys(text, { tables, table, models });
  const choices = useMemo(
    () =>
      [
        ...found,
        ...placesOf(text, place),
        ...named(text, [...tableChoices(tables), ...patternChoices(models), ...commands(onKeys)]),
      ].slice(0, choicesMax),
    [text, found, tables, models, place],
  );
  const choose = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    onClose();
    choice.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      onClose();
      return;
    }
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 && event.key !== 'Enter') return;
    event.preventDefault();
    if (step === 0) choose(choices[at]);
    else setAt((at + step + choices.length) % Math.max(1, choices.length));
  };
  const current = choices[Math.min(at, choices.length - 1)];
  return (
    <Modal className="palette" label="Jump to" onClose={onClose}>
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-choices"
        aria-activedescendant={current && `choice-${choices.indexOf(current)}`}
        aria-label="A key, a table, an index, a pattern, a place such as :73%, a command"
        placeholder={table ? 'A key, a table, :73%, a command…' : 'A table, an index, a command…'}
        value={text}
        spellCheck={false}
        autoComplete="off"
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
      />
      <div id="palette-choices" role="listbox" aria-label="Choices" tabIndex={-1}>
        {choices.map((choice, number) => (
          <div
            key={choice.id}
            id={`choice-${number}`}
            role="option"
            aria-selected={choice === current}
            onClick={() => choose(choice)}
            onMouseMove={() => setAt(number)}
          >
            <span className="group">{choice.group}</span>
            <span className="title">
              {choice.entity && <Badge entity={choice.entity} />} {choice.title}
            </span>
            <span className="detail mono">{choice.detail}</span>
          </div>
        ))}
        {choices.length === 0 && (
          <div className="none" role="option" aria-selected="false" aria-disabled="true">
            No match
          </div>
        )}
      </div>
      {log !== '' && <footer className="mono quiet">{log}</footer>}
    </Modal>
  );
}

interface Known {
  readonly tables: readonly TableDescription[];
  /** The one that is shown. */
  readonly table: TableDescription | undefined;
  readonly models: ModelsState;
}

/** The partition keys that a text may mean, by {@link keysOf}. */
function useFoundKeys(
  text: string,
  { tables, table, models }: Known,
): { readonly found: readonly Choice[]; readonly log: string } {
  const [state, setState] = useState<{ readonly found: readonly Choice[]; readonly log: string }>({
    found: [],
    log: '',
  });
  const wanted = text.trim();
  useEffect(() => {
    setState({ found: [], log: '' });
    if (wanted === '' || /^[:>#]/.test(wanted)) return undefined;
    const keys = keysOf(wanted, { tables, table, models });
    if (keys.length === 0) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => void lookFor(keys, models, abort.signal, setState), restMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [wanted, table, tables, models]);
  return state;
}

interface MeantKey {
  readonly table: TableDescription;
  readonly value: AttributeValue;
}

/**
 * The keys that a text may be or fill: itself, each key template of the models that it fills, and itself after each prefix that was seen. In
 * the table that is shown; elsewhere, in those that a model or the only table has.
 */
function keysOf(text: string, { tables, table, models }: Known): readonly MeantKey[] {
  const within = table === undefined ? tables : [table];
  const keys = within.flatMap((each): readonly MeantKey[] => {
    const { partition } = keyNamesOf(each);
    const type = keyTypeOf(each, partition);
    if (type === 'N') return /^-?\d+(\.\d+)?$/.test(text) ? [{ table: each, value: { N: text } }] : [];
    if (type === 'B') return [{ table: each, value: { B: text } }];
    const templates = entitiesIn(models, each.TableName)
      .flatMap(({ forms }) => forms.filter(({ place }) => place === 'table'))
      .map(({ attributes }) => attributes[partition] ?? [])
      .filter((parts) => parts.filter((part) => 'variable' in part).length === 1)
      .map((parts) => parts.map((part) => ('text' in part ? part.text : text)).join(''));
    const isOwn = table !== undefined || within.length === 1;
    const texts = isOwn
      ? [text, ...templates, ...keyPrefixes(each.TableName).map((prefix) => `${prefix}${text}`)]
      : templates;
    return [...new Set(texts)].map((value) => ({ table: each, value: { S: value } }));
  });
  return keys.slice(0, keyTriesMax);
}

async function lookFor(
  keys: readonly MeantKey[],
  models: ModelsState,
  signal: AbortSignal,
  show: (state: { readonly found: readonly Choice[]; readonly log: string }) => void,
): Promise<void> {
  const found: Choice[] = [];
  const names = [...new Set(keys.map(({ table }) => table.TableName))].join(', ');
  let units = 0;
  try {
    await Promise.all(
      keys.map(async ({ table, value }) => {
        const input = {
          TableName: table.TableName,
          KeyConditionExpression: '#pk = :pk',
          ExpressionAttributeNames: { '#pk': keyNamesOf(table).partition },
          ExpressionAttributeValues: { ':pk': value },
          Limit: 1,
        };
        const onExchange = ({ readUnits }: { readonly readUnits: number }): void => void (units += readUnits);
        const page = await call<{ Items: readonly AttributeMap[] }>('Query', input, { signal, onExchange });
        const [item] = page.Items;
        if (item === undefined) return;
        const to = { view: 'collections', table: table.TableName, pk: typedText(value) } as const;
        found.push({
          id: `key ${table.TableName} ${keyText(value)}`,
          group: 'Key',
          title: keyText(value),
          detail: table.TableName,
          entity: entityOf(value, item, { table, models }),
          run: () => navigate(to),
        });
      }),
    );
  } catch (error) {
    if (signal.aborted) return;
    show({ found, log: `Query × ${error instanceof Error ? error.name : String(error)}` });
    return;
  }
  if (!signal.aborted) show({ found, log: `Query ${names} · ${keys.length} requests · ${units} RCU` });
}

/** Only of a model: the colour of one that is found in items depends on which were met before. */
function entityOf(
  key: AttributeValue,
  first: AttributeMap,
  { table, models }: { readonly table: TableDescription; readonly models: ModelsState },
): Entity | undefined {
  const declared = entitiesIn(models, table.TableName);
  const entities = new Entities(table, declared);
  const entity = entities.ofPartition(key) ?? entities.of(first);
  return declared.some(({ name }) => name === entity?.name) ? entity : undefined;
}

/** The access patterns of the models, which open in the runner. */
function patternChoices({ models }: ModelsState): readonly Choice[] {
  return models.flatMap(({ name: model, patterns }) =>
    patterns.map(({ name }): Choice => ({
      id: `pattern ${model} ${name}`,
      group: 'Pattern',
      title: name,
      detail: model,
      run: () => navigate({ view: 'model', model, section: 'patterns', p: name }),
    })),
  );
}

function placesOf(text: string, place: CollectionsAddress | undefined): readonly Choice[] {
  const [, percent] = /^:\s*(\d{1,3}(?:\.\d+)?)\s*%?$/.exec(text) ?? [];
  const fraction = Number(percent) / 100;
  if (place === undefined || percent === undefined || fraction > 1) return [];
  const at = String(Math.round(fraction * 1e6) / 1e6);
  const to = { view: 'collections', table: place.table, index: place.index, at } as const;
  return [
    {
      id: 'place',
      group: 'Place',
      title: `${percent} % of hash space`,
      detail: place.index ?? place.table,
      run: () => navigate(to),
    },
  ];
}

function tableChoices(tables: readonly TableDescription[]): readonly Choice[] {
  return tables.flatMap((table) => {
    const to = { view: 'collections', table: table.TableName } as const;
    const detail = Object.values(keyNamesOf(table))
      .filter((name) => name !== undefined)
      .join(' · ');
    const own: Choice = {
      id: `table ${table.TableName}`,
      group: 'Table',
      title: table.TableName,
      detail,
      run: () => navigate(to),
    };
    const indexes = indexesOf(table).map(({ IndexName: index }): Choice => ({
      id: `index ${table.TableName} ${index}`,
      group: 'Table',
      title: index,
      detail: table.TableName,
      run: () => navigate({ ...to, index }),
    }));
    return [own, ...indexes];
  });
}

function commands(onKeys: () => void): readonly Choice[] {
  return [
    { id: 'tables', group: 'Command', title: 'All tables', detail: 'T', run: () => navigate({ view: 'tables' }) },
    { id: 'new table', group: 'Command', title: 'Create a table', detail: '', run: () => navigate({ view: 'table' }) },
    ...destinations.map(({ title, key, to }): Choice => ({
      id: `view ${title}`,
      group: 'Command',
      title,
      detail: `G ${key.toUpperCase()}`,
      run: () => navigate(to),
    })),
    {
      id: 'refresh',
      group: 'Command',
      title: 'Refresh the list of tables',
      detail: '',
      run: () => void catalog.refresh(),
    },
    { id: 'keys', group: 'Command', title: 'Keys of this view', detail: '?', run: onKeys },
    ...themes.map((theme): Choice => ({
      id: `theme ${theme}`,
      group: 'Command',
      title: `Theme: ${theme}`,
      detail: '',
      run: () => setTheme(theme),
    })),
  ];
}

/** Names by how well they match: at their start, at the start of a word, anywhere, letters in order. */
function named(text: string, choices: readonly Choice[]): readonly Choice[] {
  const isCommand = text.startsWith('>');
  const isPattern = text.startsWith('#') && choices.some(({ group }) => group === 'Pattern');
  const wanted = text
    .replace(isPattern ? /^[>#]/ : /^>/, '')
    .trim()
    .toLowerCase();
  if (text.startsWith(':')) return [];
  const only = isCommand ? 'Command' : isPattern ? 'Pattern' : undefined;
  const from = only === undefined ? choices : choices.filter(({ group }) => group === only);
  if (wanted === '') return from;
  return from
    .map((choice) => ({ choice, rank: rankOf(choice.title.toLowerCase(), wanted) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .map(({ choice }) => choice);
}

function rankOf(name: string, wanted: string): number {
  if (name.startsWith(wanted)) return 4;
  if (name.split(/[^a-z0-9]+/).some((word) => word.startsWith(wanted))) return 3;
  if (name.includes(wanted)) return 2;
  let at = -1;
  for (const letter of wanted) {
    at = name.indexOf(letter, at + 1);
    if (at < 0) return 0;
  }
  return 1;
}
