import type { ReactNode } from 'react';
import { type IndexDraft, type KeyDraft, type TableDraft } from '../../request-text/table-requests.ts';

interface TableFormProps {
  readonly draft: TableDraft;
  /** The table as it is; absent if it is being created. Its keys, and what its indexes are, cannot change. */
  readonly before: TableDraft | undefined;
  readonly onChange: (draft: TableDraft) => void;
}

/** The settings of a table. Changes are sent by the requests beside the form. */
export function TableForm({ draft, before, onChange }: TableFormProps): ReactNode {
  const set = (change: Partial<TableDraft>): void => onChange({ ...draft, ...change });
  const isNew = before === undefined;
  return (
    <form className="table-form" aria-label="Settings" onSubmit={(event) => event.preventDefault()}>
      <fieldset>
        <legend>Key</legend>
        {isNew && <Text label="Table name" value={draft.name} onChange={(name) => set({ name })} />}
        <Key
          label="Partition key"
          value={draft.partition}
          isFixed={!isNew}
          onChange={(partition) => set({ partition })}
        />
        <Key label="Sort key" value={draft.sort} isFixed={!isNew} isOptional onChange={(sort) => set({ sort })} />
      </fieldset>
      <fieldset>
        <legend>Capacity</legend>
        <Choice
          label="Billing"
          value={draft.billing}
          choices={{ PAY_PER_REQUEST: 'on demand', PROVISIONED: 'provisioned' }}
          onChange={(billing) => set({ billing, reads: '', writes: '' })}
        />
        <Text
          label={draft.billing === 'PROVISIONED' ? 'Read units a second' : 'Read units a second, at most'}
          value={draft.reads}
          placeholder={draft.billing === 'PROVISIONED' ? '' : 'no limit'}
          isNumber
          onChange={(reads) => set({ reads })}
        />
        <Text
          label={draft.billing === 'PROVISIONED' ? 'Write units a second' : 'Write units a second, at most'}
          value={draft.writes}
          placeholder={draft.billing === 'PROVISIONED' ? '' : 'no limit'}
          isNumber
          onChange={(writes) => set({ writes })}
        />
        <Choice
          label="Table class"
          value={draft.tableClass}
          choices={{ STANDARD: 'standard', STANDARD_INFREQUENT_ACCESS: 'infrequent access' }}
          onChange={(tableClass) => set({ tableClass })}
        />
      </fieldset>
      <fieldset>
        <legend>Stream, expiry, recovery</legend>
        <Choice label="Stream" value={draft.stream} choices={streamChoices} onChange={(stream) => set({ stream })} />
        <Text label="Time to live attribute" value={draft.ttl} placeholder="none" onChange={(ttl) => set({ ttl })} />
        <Switch
          label="Point-in-time recovery"
          isOn={draft.isRecoverable}
          onChange={(isRecoverable) => set({ isRecoverable })}
        />
        <Switch label="Deletion protection" isOn={draft.isProtected} onChange={(isProtected) => set({ isProtected })} />
        <label>
          <span>Tags</span>
          <textarea
            className="field mono"
            rows={2}
            placeholder="key=value"
            value={draft.tags}
            spellCheck={false}
            onChange={(event) => set({ tags: event.target.value })}
          />
        </label>
      </fieldset>
      <Indexes draft={draft} before={before} onChange={(indexes) => set({ indexes })} />
    </form>
  );
}

function Indexes({
  draft,
  before,
  onChange,
}: {
  readonly draft: TableDraft;
  readonly before: TableDraft | undefined;
  readonly onChange: (indexes: readonly IndexDraft[]) => void;
}): ReactNode {
  const { indexes } = draft;
  const add = (kind: IndexDraft['kind']): void => {
    const number = indexes.filter((index) => index.kind === kind).length + 1;
    const name = `${kind === 'global' ? 'GSI' : 'LSI'}${number}`;
    const partition: KeyDraft = kind === 'local' ? draft.partition : { name: `${name}PK`, type: 'S' };
    const sort: KeyDraft = { name: `${name}SK`, type: 'S' };
    onChange([...indexes, { kind, name, partition, sort, projection: 'ALL', attributes: '' }]);
  };
  return (
    <fieldset>
      <legend>Indexes</legend>
      {indexes.length === 0 && <p className="quiet">none</p>}
      {indexes.map((index, at) => {
        const isFixed = before?.indexes.some(({ name }) => name === index.name) === true;
        const set = (change: Partial<IndexDraft>): void => onChange(indexes.with(at, { ...index, ...change }));
        return (
          // Indexes are added at the end only.
          <fieldset key={isFixed ? index.name : `new ${at}`} className="index-form" aria-label={`Index ${index.name}`}>
            {isFixed ? (
              <p className="mono">
                <b>{index.name}</b>{' '}
                <span className="quiet">
                  {index.kind}, {[index.partition.name, index.sort.name].filter((name) => name !== '').join(' · ')},{' '}
                  {index.projection}
                  {index.attributes === '' ? '' : `: ${index.attributes}`}
                </span>
              </p>
            ) : (
              <>
                <Text label={`Name, ${index.kind}`} value={index.name} onChange={(name) => set({ name })} />
                <Key
                  label="Partition key"
                  value={index.partition}
                  isFixed={index.kind === 'local'}
                  onChange={(partition) => set({ partition })}
                />
                <Key label="Sort key" value={index.sort} isOptional onChange={(sort) => set({ sort })} />
                <Choice
                  label="Projection"
                  value={index.projection}
                  choices={projectionChoices}
                  onChange={(projection) => set({ projection })}
                />
                {index.projection === 'INCLUDE' && (
                  <Text
                    label="Attributes"
                    placeholder="Status, Amount"
                    value={index.attributes}
                    onChange={(attributes) => set({ attributes })}
                  />
                )}
              </>
            )}
            {(index.kind === 'global' || !isFixed) && (
              <button
                type="button"
                className="button plain"
                onClick={() => onChange(indexes.filter((each) => each !== index))}
              >
                Remove {index.name}
              </button>
            )}
          </fieldset>
        );
      })}
      <p className="options">
        <button type="button" className="button" onClick={() => add('global')}>
          Add a global index
        </button>
        {before === undefined && (
          <button type="button" className="button" onClick={() => add('local')}>
            Add a local index
          </button>
        )}
      </p>
    </fieldset>
  );
}

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly isNumber?: boolean;
  readonly onChange: (value: string) => void;
}

function Text({ label, value, placeholder = '', isNumber = false, onChange }: TextProps): ReactNode {
  return (
    <label>
      <span>{label}</span>
      <input
        className="field mono"
        value={value}
        placeholder={placeholder}
        inputMode={isNumber ? 'numeric' : 'text'}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange(isNumber ? event.target.value.replace(/\D/g, '') : event.target.value)}
      />
    </label>
  );
}

interface KeyProps {
  readonly label: string;
  readonly value: KeyDraft;
  readonly isFixed?: boolean;
  readonly isOptional?: boolean;
  readonly onChange: (value: KeyDraft) => void;
}

function Key({ label, value, isFixed = false, isOptional = false, onChange }: KeyProps): ReactNode {
  if (isFixed) {
    return (
      <p>
        <span>{label}</span>
        <span className="mono">{value.name === '' ? 'none' : `${value.name} ${value.type}`}</span>
      </p>
    );
  }
  return (
    <div className="key-field">
      <Text
        label={label}
        value={value.name}
        placeholder={isOptional ? 'none' : ''}
        onChange={(name) => onChange({ ...value, name })}
      />
      <select
        className="field mono"
        aria-label={`Type of the ${label.toLowerCase()}`}
        value={value.type}
        onChange={(event) => onChange({ ...value, type: keyTypes.find((type) => type === event.target.value) ?? 'S' })}
      >
        {keyTypes.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </select>
    </div>
  );
}

const streamChoices: Readonly<Record<TableDraft['stream'], string>> = {
  '': 'none',
  NEW_AND_OLD_IMAGES: 'new and old images',
  NEW_IMAGE: 'new images',
  OLD_IMAGE: 'old images',
  KEYS_ONLY: 'keys only',
};
const projectionChoices: Readonly<Record<IndexDraft['projection'], string>> = {
  ALL: 'all attributes',
  KEYS_ONLY: 'keys only',
  INCLUDE: 'some attributes',
};
const keyTypes = ['S', 'N', 'B'] as const;

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choices: Readonly<Record<Value, string>>;
  readonly onChange: (value: Value) => void;
}

function Choice<Value extends string>({ label, value, choices, onChange }: ChoiceProps<Value>): ReactNode {
  return (
    <label>
      <span>{label}</span>
      <select
        className="field"
        value={value}
        onChange={(event) => onChange(event.target.value as Value)} // one of the options below
      >
        {Object.entries<string>(choices).map(([each, title]) => (
          <option key={each} value={each}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Switch({ label, isOn, onChange }: SwitchProps): ReactNode {
  return (
    <label>
      <span>{label}</span>
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.target.checked)} />
    </label>
  );
}
