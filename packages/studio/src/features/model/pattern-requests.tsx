import { type ReactNode, useState } from 'react';
import { useKeys } from '../../app/keys.ts';
import { type RequestForm, requestForms, requestText } from '../../request-text/request-text.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ExplanationPanel, useExplanation } from '../../ui/explanation-panel.tsx';
import { Failure } from '../../ui/failure.tsx';
import { plural } from '../../ui/figures.ts';
import { type PlannedRequest, plannedRequests, type RunOptions } from './run-pattern.ts';

interface PatternRequestsProps {
  /** The input as it is typed; undefined if a field has a problem, which is then shown. */
  readonly optionsOf: () => RunOptions | undefined;
  readonly onExchange: RunOptions['onExchange'];
  /** Whether its requests read only. */
  readonly isRead: boolean;
}

/** What is shown of the requests that a run would send. */
type Shown =
  | { readonly kind: 'code'; readonly form: RequestForm; readonly requests: readonly PlannedRequest[] }
  | { readonly kind: 'explained'; readonly requests: readonly PlannedRequest[] }
  | { readonly kind: 'failed'; readonly error: Error };

const explained: ReadonlySet<string> = new Set(['GetItem', 'Query', 'Scan', 'ExecuteStatement']);

/** The requests of a pattern before it runs: explained, or as code. Nothing is read or written for the code. */
export function PatternRequests({ optionsOf, onExchange, isRead }: PatternRequestsProps): ReactNode {
  const [shown, setShown] = useState<Shown>();
  const explanation = useExplanation(onExchange);
  const planned = async (then: (requests: readonly PlannedRequest[]) => void): Promise<void> => {
    const options = optionsOf();
    if (options === undefined) return;
    try {
      then(await plannedRequests(options));
    } catch (error) {
      setShown({ kind: 'failed', error: error as Error }); // inspect() throws errors only
    }
  };
  const explain = (): Promise<void> =>
    planned((requests) => {
      const request = requests.find(({ operation }) => explained.has(operation));
      setShown({ kind: 'explained', requests });
      if (request === undefined) explanation.clear();
      else explanation.ask(request);
    });
  const show = (form: RequestForm): Promise<void> => planned((requests) => setShown({ kind: 'code', form, requests }));
  useKeys({ e: () => isRead && void explain(), c: () => void show('sdk') });
  return (
    <>
      <div className="actions" role="group" aria-label="Requests of this pattern">
        {isRead && (
          <button type="button" className="button" onClick={() => void explain()}>
            Explain <kbd>E</kbd>
          </button>
        )}
        <select
          className="field"
          aria-label="Copy as"
          value={shown?.kind === 'code' ? shown.form : ''}
          onChange={({ target: { value } }) => {
            const chosen = requestForms.find(({ form }) => form === value);
            if (chosen === undefined) setShown(undefined);
            else void show(chosen.form);
          }}
        >
          <option value="">Copy as…</option>
          {requestForms.map(({ form, title }) => (
            <option key={form} value={form}>
              {title}
            </option>
          ))}
        </select>
      </div>
      {shown?.kind === 'failed' && <Failure error={shown.error} />}
      {shown?.kind === 'code' && <Code form={shown.form} requests={shown.requests} />}
      {shown?.kind === 'explained' && (
        <>
          {shown.requests.length > 1 && (
            <p className="quiet">
              It sends {plural(shown.requests.length, 'request')}; this is the first one that reads.
            </p>
          )}
          {shown.requests.every(({ operation }) => !explained.has(operation)) && (
            <p className="quiet">
              {shown.requests.map(({ operation }) => operation).join(', ')}: reads the items of its keys, and nothing
              else.
            </p>
          )}
          <ExplanationPanel explanation={explanation} />
        </>
      )}
    </>
  );
}

function Code({
  form,
  requests,
}: {
  readonly form: RequestForm;
  readonly requests: readonly PlannedRequest[];
}): ReactNode {
  const text = requests.map(({ operation, input }) => requestText(form, operation, input).trimEnd()).join('\n\n');
  return (
    <section className="pattern-code" aria-label="Requests as code">
      <header>
        <b>{requests.map(({ operation }) => operation).join(', ')}</b>
        <CopyButton text={text} label="Copy the requests" />
      </header>
      <pre className="mono" tabIndex={0}>
        {text}
      </pre>
    </section>
  );
}
