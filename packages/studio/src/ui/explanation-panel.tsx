import { type ReactNode, useMemo, useState } from 'react';
import type { AttributeValue } from '../../../singlet/src/values/attribute-value.ts';
import { cellText } from '../values/value-text.ts';
import type { Exchange } from '../wire/client.ts';
import { inspect } from '../wire/inspect.ts';
import { Failure } from './failure.tsx';
import { bytesText, plural, unitsText } from './figures.ts';
import { Icon } from './icon.tsx';
import './explanation-panel.css';

/** The answer of `POST /_singlet/explain`. */
export interface ReadExplanation {
  readonly table: string;
  readonly index: string | null;
  readonly isScan: boolean;
  readonly operations: readonly {
    readonly operation: string;
    readonly keyConditions: readonly {
      readonly attributeName: string;
      readonly operator: string;
      readonly operands: readonly AttributeValue[];
    }[];
    readonly filter: string | null;
  }[];
  readonly firstPage: {
    readonly read: number;
    readonly returned: number;
    readonly reads: number;
    readonly isLast: boolean;
  } | null;
  readonly whole: { readonly items: number; readonly bytes: number; readonly reads: number } | null;
  readonly findings: readonly { readonly code: string; readonly message: string; readonly remedy: string }[];
}

interface ExplainedRequest {
  readonly operation: string;
  readonly input: object;
}

type State = { readonly answer?: ReadExplanation; readonly error?: Error; readonly request?: ExplainedRequest };

export interface Explanation {
  readonly state: State;
  readonly ask: (request: ExplainedRequest) => void;
  readonly clear: () => void;
}

/** Asks the server what a read would read. Only the answer to the last request is used. */
export function useExplanation(onExchange: (exchange: Exchange) => void): Explanation {
  const [state, setState] = useState<State>({});
  return useMemo(() => {
    let abort = new AbortController();
    return {
      state,
      ask: (request) => {
        abort.abort();
        abort = new AbortController();
        const { signal } = abort;
        inspect<ReadExplanation>('explain', { body: request, signal, onExchange }).then(
          (answer) => setState({ answer, request }),
          (error: unknown) => signal.aborted || setState({ error: error as Error, request }), // inspect() throws errors only
        );
      },
      clear: () => {
        abort.abort();
        setState((known) => (Object.keys(known).length === 0 ? known : {}));
      },
    };
  }, [state, onExchange]);
}

/** What a read would read, and what would serve it better. */
export function ExplanationPanel({ explanation }: { readonly explanation: Explanation }): ReactNode {
  const { answer, error } = explanation.state;
  if (error) return <Failure error={error} />;
  if (!answer) return null;
  const { firstPage, whole, operations, findings, table, index } = answer;
  return (
    <section className="explanation" aria-label="Explanation">
      <ul className="mono">
        {operations.map(({ operation, keyConditions, filter }, at) => (
          // The operations of one answer never change their order.
          <li key={at}>
            <b>{operation}</b> {index ?? table}
            {keyConditions.length > 0 && <span className="quiet"> {keyConditions.map(termText).join(' and ')}</span>}
            {filter !== null && <span className="quiet"> filter {filter}</span>}
          </li>
        ))}
      </ul>
      {firstPage && (
        <p>
          The first page reads {plural(firstPage.read, 'item')}, returns {firstPage.returned} and costs{' '}
          <b>{unitsText(firstPage.reads)} RCU</b>.{firstPage.isLast ? ' It is the only page.' : ' More follow.'}
        </p>
      )}
      {whole && (
        <p>
          All of it: {plural(whole.items, 'item')}, {bytesText(whole.bytes)}, <b>{unitsText(whole.reads)} RCU</b>.
        </p>
      )}
      {findings.map(({ code, message, remedy }) => (
        <p key={code} className="cost">
          <span aria-hidden="true">!</span> {message} <b>{remedy}</b>
        </p>
      ))}
      {findings.length === 0 && firstPage && (
        <p className="fine">
          <Icon name="proven" /> It reads only what it returns.
        </p>
      )}
    </section>
  );
}

function termText({
  attributeName,
  operator,
  operands,
}: ReadExplanation['operations'][number]['keyConditions'][number]): string {
  const values = operands.map(cellText);
  return operator === 'begins_with'
    ? `begins_with(${attributeName}, ${values[0] ?? ''})`
    : `${attributeName} ${operator} ${values.join(' and ')}`;
}
