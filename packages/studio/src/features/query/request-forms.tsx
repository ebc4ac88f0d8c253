import { type ReactNode, useState } from 'react';
import type { BuiltQuery, BuiltRequest } from '../../request-text/built-query.ts';
import { requestOf } from '../../request-text/built-query.ts';
import { TextProblem } from '../../request-text/condition-tokens.ts';
import { readRequestText } from '../../request-text/read-request-text.ts';
import { type RequestForm, requestForms, requestText } from '../../request-text/request-text.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { indexesOf, keyNamesOf, type TableDescription } from '../../wire/table-description.ts';

interface RequestFormsProps {
  readonly table: TableDescription;
  readonly built: BuiltQuery;
  readonly composed: { readonly request: BuiltRequest } | { readonly problem: string };
  readonly as: RequestForm;
  readonly onAs: (form: RequestForm) => void;
  readonly onChange: (built: BuiltQuery) => void;
}

/** One request in four forms, side by side if there is room. Each can be edited, and the others follow. */
export function RequestForms({ table, built, composed, as, onAs, onChange }: RequestFormsProps): ReactNode {
  return (
    <div className="request-forms">
      <div className="form-tabs" role="group" aria-label="Form of the request">
        {requestForms.map(({ form, title }) => (
          <button key={form} type="button" aria-pressed={form === as} onClick={() => onAs(form)}>
            {title}
          </button>
        ))}
      </div>
      {requestForms.map(({ form, title }) => (
        <FormPane
          key={form}
          form={form}
          title={title}
          isChosen={form === as}
          table={table}
          built={built}
          text={'request' in composed ? textOf(form, table, built, composed.request) : ''}
          onChange={onChange}
        />
      ))}
    </div>
  );
}

function textOf(form: RequestForm, table: TableDescription, { index }: BuiltQuery, request: BuiltRequest): string {
  const { sort } = keyNamesOf(indexesOf(table).find(({ IndexName }) => IndexName === index) ?? table);
  return requestText(form, request.operation, request.input, { sortKey: sort }).trimEnd();
}

interface FormPaneProps {
  readonly form: RequestForm;
  readonly title: string;
  readonly isChosen: boolean;
  readonly table: TableDescription;
  readonly built: BuiltQuery;
  readonly text: string;
  readonly onChange: (built: BuiltQuery) => void;
}

/** While the user types, their text is shown; otherwise the query in this form. */
function FormPane({ form, title, isChosen, table, built, text, onChange }: FormPaneProps): ReactNode {
  const [draft, setDraft] = useState<{ readonly text: string; readonly problem: string | undefined }>();
  const edit = (typed: string): void => {
    try {
      const next = readRequestText(form, typed, table, built);
      requestOf(table, next);
      setDraft({ text: typed, problem: undefined });
      onChange(next);
    } catch (error) {
      if (!(error instanceof TextProblem)) throw error;
      setDraft({ text: typed, problem: error.message });
    }
  };
  const note = form === 'partiql' ? statementNote(built) : undefined;
  const shown = draft?.text ?? text;
  return (
    <section className={isChosen ? 'form-pane chosen' : 'form-pane'} aria-label={title}>
      <header>
        <b>{title}</b>
        <span className="grow" />
        <CopyButton text={shown} label={`Copy ${title}`} />
      </header>
      <textarea
        className="mono"
        aria-label={`${title}, may be edited`}
        value={shown}
        rows={9}
        spellCheck={false}
        aria-invalid={draft?.problem !== undefined}
        onChange={(event) => edit(event.target.value)}
        onBlur={() => draft?.problem === undefined && setDraft(undefined)}
      />
      {draft?.problem !== undefined ? (
        <p className="problem" role="status">
          {draft.problem} The other forms are unchanged.{' '}
          <button type="button" className="button plain" onClick={() => setDraft(undefined)}>
            Discard the edit
          </button>
        </p>
      ) : (
        note !== undefined && <p className="quiet">{note}</p>
      )}
    </section>
  );
}

/** The members of a request that are not part of the statement. */
function statementNote({ limit, isConsistent }: BuiltQuery): string | undefined {
  const members = [
    ...(limit === undefined ? [] : [`Limit: ${limit}`]),
    ...(isConsistent ? ['ConsistentRead: true'] : []),
  ];
  return members.length === 0 ? undefined : `${members.join(' and ')} beside the statement, in ExecuteStatement.`;
}
