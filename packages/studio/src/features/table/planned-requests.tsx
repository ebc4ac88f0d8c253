import { type ReactNode, useEffect, useRef, useState } from 'react';
import { isRemote } from '../../app/server-name.ts';
import type { PlannedRequest } from '../../request-text/table-requests.ts';
import { Failure } from '../../ui/failure.tsx';
import { plural } from '../../ui/figures.ts';
import { Icon } from '../../ui/icon.tsx';
import { call, type Exchange, ServiceError } from '../../wire/client.ts';
import { indexesOf, type TableDescription } from '../../wire/table-description.ts';

interface PlannedRequestsProps {
  readonly tableName: string;
  /** By the form. */
  readonly requests: readonly PlannedRequest[];
  readonly isNew: boolean;
  readonly onExchange: (exchange: Exchange) => void;
  /** Some or all were sent. */
  /** Something was sent; `isComplete` is false if a later request was refused. */
  readonly onSent: (isComplete: boolean) => void;
}

/** Settings of tables that the form does not have. Each is a request of its own. */
const others = [
  'UpdateTable',
  'UpdateContributorInsights',
  'PutResourcePolicy',
  'DeleteResourcePolicy',
  'EnableKinesisStreamingDestination',
  'DisableKinesisStreamingDestination',
  'UpdateTimeToLive',
  'UpdateContinuousBackups',
  'CreateBackup',
] as const;

interface Outcome {
  readonly sent: number;
  readonly isSending: boolean;
  readonly error?: Error | undefined;
  /** The request that was refused, which keeps its error while it is planned unchanged. */
  readonly refused?: string;
}

const idle: Outcome = { sent: 0, isSending: false };

/** The requests that make the table as the form says, each as text that can be changed, and what each one does. */
export function PlannedRequests({ tableName, requests, isNew, onExchange, onSent }: PlannedRequestsProps): ReactNode {
  const [added, setAdded] = useState<readonly PlannedRequest[]>([]);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [outcome, setOutcome] = useState(idle);
  const [confirmed, setConfirmed] = useState('');
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  // A change of the form makes new requests; what was edited in the old ones is gone with them.
  useEffect(() => setTexts({}), [requests]);
  useEffect(() => {
    if (requests.length > 0) setOutcome((before) => (before.isSending || before.error ? before : idle));
  }, [requests]);
  const all = [...requests, ...added].map((request, at) => {
    const text = texts[at] ?? JSON.stringify(request.input, undefined, 2);
    return { ...request, text, problem: problemOf(text) };
  });
  const isConfirmed = !isRemote() || isNew || confirmed === tableName;
  const send = async (): Promise<void> => {
    abort.current = new AbortController();
    const { signal } = abort.current;
    for (const [sent, { operation, text }] of all.entries()) {
      setOutcome({ sent, isSending: true });
      try {
        const input = JSON.parse(text) as object; // it was parsed before
        await call(operation, input, { onExchange, signal });
        await untilActive((input as { TableName?: string }).TableName ?? tableName, signal);
      } catch (error) {
        if (signal.aborted) return;
        // call() throws errors only. The requests before this one are no longer planned once the table has been read again.
        setOutcome({ sent: 0, isSending: false, error: error as Error, refused: `${operation} ${text}` });
        if (sent > 0) onSent(false);
        return;
      }
    }
    setOutcome({ sent: all.length, isSending: false });
    setAdded([]);
    onSent(true);
  };
  const isDone = !outcome.isSending && outcome.error === undefined && outcome.sent > 0;
  return (
    <section className="planned" aria-label="Requests to send">
      <h3>Requests to send</h3>
      {all.length === 0 && (
        <p className="quiet" role="status">
          Nothing to send: the table matches the form.
        </p>
      )}
      <ol>
        {all.map(({ operation, effect, text, problem }, at) => (
          // Requests have no identity besides their position.
          <li key={at}>
            <h4>
              <span className="mono">{operation}</span>
              {outcome.isSending && at < outcome.sent && <Icon name="proven" />}
              {outcome.isSending && at === outcome.sent && <span className="quiet">in progress…</span>}
            </h4>
            <p className="quiet">{effect}</p>
            <textarea
              className="field mono"
              aria-label={`Input of ${operation}`}
              aria-invalid={problem !== undefined}
              rows={Math.min(14, text.split('\n').length)}
              spellCheck={false}
              value={text}
              disabled={outcome.isSending}
              onChange={(event) => setTexts({ ...texts, [at]: event.target.value })}
            />
            {problem !== undefined && <p className="item-problem">{problem}</p>}
            {outcome.error && outcome.refused === `${operation} ${text}` && <Failure error={outcome.error} />}
          </li>
        ))}
      </ol>
      {all.length > 0 && !isConfirmed && (
        <label className="confirm">
          <span>This server is not on this machine. Type {tableName} to continue</span>
          <input className="field mono" value={confirmed} onChange={(event) => setConfirmed(event.target.value)} />
        </label>
      )}
      <p className="options">
        {all.length > 0 && (
          <button
            type="button"
            className="button main"
            disabled={outcome.isSending || !isConfirmed || all.some(({ problem }) => problem !== undefined)}
            onClick={() => void send()}
          >
            {isNew ? 'Create the table' : `Send ${plural(all.length, 'request')}`}
          </button>
        )}
        {!isNew && (
          <select
            className="field"
            aria-label="Add another request"
            value=""
            disabled={outcome.isSending}
            onChange={(event) =>
              setAdded([
                ...added,
                {
                  operation: event.target.value,
                  input: { TableName: tableName },
                  effect: 'What it does depends on its input.',
                },
              ])
            }
          >
            <option value="">Add another request…</option>
            {others.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </p>
      {isNew && isDone && (
        <p role="status" className="quiet">
          Created {tableName}.
        </p>
      )}
    </section>
  );
}

function problemOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const pollMs = 300;

/** A table takes the next change when the last one is complete. */
async function untilActive(TableName: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { Table } = await call<{ Table: TableDescription }>('DescribeTable', { TableName }, { signal });
    const { TableStatus } = Table;
    const isBusy = indexesOf(Table).some(({ IndexStatus = 'ACTIVE' }) => IndexStatus !== 'ACTIVE');
    if ((TableStatus === 'ACTIVE' || TableStatus === undefined) && !isBusy) return;
    if (signal.aborted) throw new ServiceError('Stopped', 'The page was left.');
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
