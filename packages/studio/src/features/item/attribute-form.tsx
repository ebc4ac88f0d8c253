import { type ReactNode, type SyntheticEvent, useRef, useState } from 'react';
import type { AttributeMap, AttributeTypeTag, AttributeValue } from '../../../../singlet/src/values/attribute-value.ts';
import { Icon } from '../../ui/icon.tsx';
import { KeyText } from '../../ui/key-text.tsx';
import { attributeTypes, sameValue, textOfValue, ValueError, valueOfText } from '../../values/value-problem.ts';
import { cellText, keyText } from '../../values/value-text.ts';
import { keyNamesOf, type TableDescription } from '../../wire/table-description.ts';

export interface EditorProps {
  readonly table: TableDescription;
  /** The stored item; absent for a new one. */
  readonly base: AttributeMap | undefined;
  readonly draft: AttributeMap;
  readonly onEdit: (item: AttributeMap) => void;
  /** Called when the typed text is not a valid item, until it is one again. */
  readonly onProblem: (problem: string | undefined) => void;
}

interface AttributeFormProps extends EditorProps {
  /** Whether the key may be edited, to move the item. */
  readonly isMoving: boolean;
}

/** The attributes of an item, one below the other, each with its type. */
export function AttributeForm({ table, base, draft, isMoving, onEdit, onProblem }: AttributeFormProps): ReactNode {
  const { partition, sort } = keyNamesOf(table);
  const problems = useRef(new Map<string, string>());
  const names = [...new Set([...Object.keys(draft), ...Object.keys(base ?? {})])];
  const report = (name: string, problem: string | undefined): void => {
    if (problem === undefined) problems.current.delete(name);
    else problems.current.set(name, `${name}: ${problem}`);
  };
  const edit = (name: string, value: AttributeValue | undefined): void => {
    const others = Object.entries(draft).filter(([each]) => each !== name);
    const at = Object.keys(draft).indexOf(name);
    const entries =
      value === undefined
        ? others
        : at < 0
          ? [...others, [name, value] as const]
          : others.toSpliced(at, 0, [name, value]);
    onEdit(Object.fromEntries(entries));
    onProblem(problems.current.values().next().value);
  };
  return (
    <div>
      {names.map((name) => {
        const isKey = name === partition || name === sort;
        if (isKey && base !== undefined && !isMoving) return <KeyAttribute key={name} name={name} value={base[name]} />;
        return (
          <Attribute
            key={name}
            name={name}
            old={base?.[name]}
            value={draft[name]}
            isKey={isKey}
            onEdit={(value) => {
              report(name, undefined);
              edit(name, value);
            }}
            onProblem={(problem) => {
              report(name, problem);
              onProblem(problems.current.values().next().value);
            }}
          />
        );
      })}
      <AddAttribute names={names} onAdd={(name) => edit(name, { S: '' })} />
    </div>
  );
}

function KeyAttribute({
  name,
  value,
}: {
  readonly name: string;
  readonly value: AttributeValue | undefined;
}): ReactNode {
  return (
    <div className="attribute">
      <label>{name}</label>
      <span className="mono value">
        <KeyText text={keyText(value)} />
      </span>
      <span className="mono quiet key-type">{value && Object.keys(value)[0]}</span>
    </div>
  );
}

interface AttributeProps {
  readonly name: string;
  readonly old: AttributeValue | undefined;
  readonly value: AttributeValue | undefined;
  readonly isKey: boolean;
  readonly onEdit: (value: AttributeValue | undefined) => void;
  readonly onProblem: (problem: string) => void;
}

const longTextLength = 40;

/** The id of the field of an attribute. */
export function fieldId(name: string): string {
  return `attribute-${name}`;
}

function Attribute({ name, old, value, isKey, onEdit, onProblem }: AttributeProps): ReactNode {
  const [type, setType] = useState<AttributeTypeTag>(value === undefined ? 'S' : typeOf(value));
  const [text, setText] = useState(value === undefined ? '' : textOfValue(value));
  const [problem, setProblem] = useState<string>();
  // By the value that was there: a field that is another element once it is longer would lose the focus.
  const [isLong] = useState(text.length > longTextLength);
  const isChanged = !sameValue(old, value);
  const id = fieldId(name);
  const change = (nextType: AttributeTypeTag, nextText: string): void => {
    setType(nextType);
    setText(nextText);
    try {
      onEdit(valueOfText(nextType, nextText));
      setProblem(undefined);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      setProblem(error.message);
      onProblem(error.message);
    }
  };
  if (value === undefined && problem === undefined) {
    return (
      <div className="attribute changed">
        <label>{name}</label>
        <s className="mono">{old && cellText(old)}</s>
        <button type="button" className="button plain" onClick={() => onEdit(old)}>
          Restore
        </button>
      </div>
    );
  }
  const field = {
    id,
    value: text,
    spellCheck: false,
    autoComplete: 'off',
    'aria-invalid': problem !== undefined,
    onChange: (event: SyntheticEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) =>
      change(type, event.currentTarget.value),
  };
  return (
    <div className={isChanged ? 'attribute changed' : 'attribute'}>
      <label htmlFor={id} title={name}>
        {name}
      </label>
      <Field type={type} field={field} isLong={isLong} />
      <select
        className="type mono"
        aria-label={`Type of ${name}`}
        value={type}
        disabled={isKey}
        onChange={(event) => change(...converted(event.target.value, text))}
      >
        {attributeTypes.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      {!isKey && (
        <button type="button" className="remove" aria-label={`Remove ${name}`} onClick={() => onEdit(undefined)}>
          <Icon name="close" />
        </button>
      )}
      {problem !== undefined && <span className="problem">{problem}</span>}
      {isChanged && old !== undefined && problem === undefined && (
        <span className="was mono">
          was <s>{cellText(old)}</s>
        </span>
      )}
    </div>
  );
}

interface FieldProps {
  readonly id: string;
  readonly value: string;
  readonly spellCheck: boolean;
  readonly autoComplete: string;
  readonly 'aria-invalid': boolean;
  readonly onChange: (event: SyntheticEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) => void;
}

function Field({
  type,
  field,
  isLong,
}: {
  readonly type: AttributeTypeTag;
  readonly field: FieldProps;
  readonly isLong: boolean;
}): ReactNode {
  if (type === 'BOOL') {
    return (
      <select {...field}>
        <option>true</option>
        <option>false</option>
      </select>
    );
  }
  if (type === 'NULL') return <input {...field} readOnly />;
  // Text may have several lines, which an input would drop when they are pasted.
  if (isLong || !['N', 'B'].includes(type)) return <textarea {...field} rows={1} />;
  return <input {...field} inputMode={type === 'N' ? 'decimal' : 'text'} />;
}

/** The typed text as a value of another type: unchanged if it is valid, otherwise the smallest value. */
function converted(chosen: string, text: string): [AttributeTypeTag, string] {
  const type = attributeTypes.find((each) => each === chosen) ?? 'S';
  const smallest: Readonly<Record<AttributeTypeTag, string>> = {
    S: text,
    N: text,
    B: text,
    BOOL: 'true',
    NULL: 'null',
    M: '{}',
    L: '[]',
    SS: JSON.stringify([text]),
    NS: JSON.stringify([text]),
    BS: JSON.stringify([text]),
  };
  return [type, smallest[type]];
}

function AddAttribute({
  names,
  onAdd,
}: {
  readonly names: readonly string[];
  readonly onAdd: (name: string) => void;
}): ReactNode {
  const [name, setName] = useState('');
  const isTaken = names.includes(name);
  const add = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (name === '' || isTaken) return;
    onAdd(name);
    setName('');
  };
  return (
    <form className="attribute" onSubmit={add}>
      <label htmlFor="new-attribute">Add…</label>
      <input
        id="new-attribute"
        value={name}
        placeholder="name"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setName(event.target.value)}
      />
      <button type="submit" className="button plain" disabled={name === '' || isTaken}>
        Add
      </button>
      {isTaken && <span className="problem">There is already an attribute with that name.</span>}
    </form>
  );
}

function typeOf(value: AttributeValue): AttributeTypeTag {
  return Object.keys(value)[0] as AttributeTypeTag; // a value has one member
}
