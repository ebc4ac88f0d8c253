import { type ReactNode, useId } from 'react';
import type { Field, PatternForm, Shape } from '../../wire/model-answers.ts';
import { type Drafts, exampleOf, hasFields, isGroup, type Problem, wholePath } from './pattern-input.ts';

interface InputFormProps {
  readonly form: PatternForm;
  readonly drafts: Drafts;
  readonly problems: readonly Problem[];
  readonly onChange: (path: string, text: string) => void;
}

/** A field for each input of a pattern, according to its schema. */
export function InputForm({ form, drafts, problems, onChange }: InputFormProps): ReactNode {
  const props = { drafts, problems, onChange };
  if (!hasFields(form)) {
    const shape: Shape = { kind: 'unknown' };
    return (
      <InputField
        {...props}
        name={form.many ? 'inputs, a list' : 'input'}
        path={wholePath}
        field={{ shape, optional: true }}
        example={exampleOf(
          form.many ? { kind: 'list', of: { kind: 'object', fields: form.shapes } } : { kind: 'object', fields: {} },
        )}
        isLong
      />
    );
  }
  return <FieldGroup {...props} fields={form.shapes} path="" depth={0} />;
}

type Shared = Omit<InputFormProps, 'form'>;

function FieldGroup({
  fields,
  path,
  depth,
  ...shared
}: Shared & {
  readonly fields: Readonly<Record<string, Field>>;
  readonly path: string;
  readonly depth: number;
}): ReactNode {
  return Object.entries(fields).map(([name, field]) => {
    const place = path === '' ? name : `${path}.${name}`;
    if (field.shape.kind === 'object' && isGroup(field.shape, depth)) {
      return (
        <fieldset key={name}>
          <legend>{name}</legend>
          <FieldGroup {...shared} fields={field.shape.fields} path={place} depth={depth + 1} />
        </fieldset>
      );
    }
    const isLong = ['list', 'set', 'record', 'object'].includes(field.shape.kind);
    return (
      <InputField
        key={name}
        {...shared}
        name={name}
        path={place}
        field={field}
        example={exampleOf(field.shape)}
        isLong={isLong}
      />
    );
  });
}

function InputField({
  name,
  path,
  field: { shape, optional },
  example,
  isLong,
  drafts,
  problems,
  onChange,
}: Shared & {
  readonly name: string;
  readonly path: string;
  readonly field: Field;
  readonly example: string;
  readonly isLong: boolean;
}): ReactNode {
  const id = useId();
  const text = drafts[path] ?? '';
  const problem = problems.find((each) => each.path === path);
  const shared = {
    id,
    value: text,
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem && `${id}-problem`,
  };
  const choices = choicesOf(shape);
  return (
    <div className="input-field">
      <label htmlFor={id}>
        {name}{' '}
        <em>
          {kindText(shape)}
          {optional ? ', optional' : ''}
        </em>
      </label>
      {choices !== undefined ? (
        <select {...shared} className="field mono" onChange={(event) => onChange(path, event.target.value)}>
          <option value="">–</option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : isLong ? (
        <textarea
          {...shared}
          className="field mono"
          rows={Math.min(8, Math.max(3, text.split('\n').length))}
          spellCheck={false}
          onFocus={() => text === '' && !optional && onChange(path, example)}
          onChange={(event) => onChange(path, event.target.value)}
        />
      ) : (
        <input
          {...shared}
          className="field mono"
          inputMode={shape.kind === 'number' ? 'decimal' : undefined}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => onChange(path, event.target.value)}
        />
      )}
      {problem && (
        <span id={`${id}-problem`} className="problem">
          × {problem.message}
        </span>
      )}
    </div>
  );
}

function choicesOf(shape: Shape): readonly string[] | undefined {
  if (shape.kind === 'enum') return shape.values;
  return shape.kind === 'boolean' ? ['true', 'false'] : undefined;
}

function kindText(shape: Shape): string {
  switch (shape.kind) {
    case 'unknown':
      return 'text or JSON';
    case 'enum':
      return 'one of these';
    case 'list':
    case 'set':
      return `JSON, ${shape.kind} of ${shape.of.kind === 'object' ? 'objects' : `${shape.of.kind}s`}`;
    case 'record':
    case 'object':
      return 'JSON';
    case 'union':
      return shape.of.map(({ kind }) => kind).join(' or ');
    default:
      return shape.kind;
  }
}
