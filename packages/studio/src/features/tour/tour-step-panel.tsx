import { type ReactNode, useEffect, useState } from 'react';
import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';
import { useChord } from '../../app/keys.ts';
import { commandKey } from '../../app/shell.tsx';
import { requestText } from '../../request-text/request-text.ts';
import { Failure } from '../../ui/failure.tsx';
import { plural, unitsText } from '../../ui/figures.ts';
import { ItemTable } from '../../ui/item-table.tsx';
import { Link } from '../../ui/link.tsx';
import { call, type Exchange } from '../../wire/client.ts';
import type { RequestLog } from '../../wire/request-log.ts';
import type { TableDescription } from '../../wire/table-description.ts';
import { type TourStep, tourTable } from './tour-request.ts';

interface TourStepPanelProps {
  readonly step: TourStep;
  readonly table: TableDescription | undefined;
  /** Whether the tables of the server have been listed, so that a missing table is known to be missing. */
  readonly isTableKnown: boolean;
  readonly log: RequestLog;
  /** To the next step, once this one is answered. */
  readonly onNext: () => void;
}

type Outcome =
  | { readonly kind: 'none' | 'running' }
  | {
      readonly kind: 'answered';
      readonly items: readonly AttributeMap[];
      readonly output: object;
      readonly cost: Exchange;
    }
  | { readonly kind: 'refused'; readonly error: Error };

const rowsShownMax = 100;

/** A question, the request that answers it, and, once it is sent, the answer with an explanation. */
export function TourStepPanel({ step, table, isTableKnown, log, onNext }: TourStepPanelProps): ReactNode {
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'none' });
  // The key may be pressed before the tables are listed: the step then runs as soon as they are.
  const [isWaiting, setWaiting] = useState(false);
  const isPossible = table !== undefined && outcome.kind !== 'running';
  const run = async (): Promise<void> => {
    setOutcome({ kind: 'running' });
    let cost: Exchange | undefined;
    const onExchange = (exchange: Exchange): void => {
      cost = exchange;
      log.add(exchange);
    };
    try {
      const output = await call<Output>(step.operation, step.input, { onExchange });
      if (cost !== undefined) setOutcome({ kind: 'answered', items: itemsOf(output), output, cost });
    } catch (error) {
      setOutcome({ kind: 'refused', error: error as Error }); // call() throws errors only
    }
  };
  const isAnswered = outcome.kind === 'answered' || (outcome.kind === 'refused' && outcome.error.name === step.refusal);
  useChord('Enter', () => {
    if (isAnswered) onNext();
    else if (isPossible) void run();
    else if (!isTableKnown) setWaiting(true);
  });
  useEffect(() => {
    if (!isWaiting || !isTableKnown) return;
    setWaiting(false);
    if (isPossible) void run();
  }, [isWaiting, isTableKnown]);
  return (
    <section className="tour-step" aria-label="Step">
      <p className="ask">{step.ask}</p>
      <pre className="mono" tabIndex={0} aria-label="Request">
        {requestText('request', step.operation, step.input)}
      </pre>
      <p className="actions">
        <button type="button" className="button main" disabled={!isPossible} onClick={() => void run()}>
          Run it <kbd>{commandKey()}Enter</kbd>
        </button>
        {outcome.kind === 'answered' && <Cost outcome={outcome} />}
      </p>
      {outcome.kind === 'refused' && isAnswered && (
        <p className="refusal" role="status">
          × <b>{outcome.error.name}</b> {outcome.error.message} Nothing was written.
        </p>
      )}
      {outcome.kind === 'refused' && !isAnswered && <Failure error={outcome.error} onRetry={() => void run()} />}
      {isAnswered && (
        <p className="then" role="status">
          {step.answer}
        </p>
      )}
      {outcome.kind === 'answered' && outcome.items.length > 0 && (
        <ItemTable table={table} items={outcome.items} shown={rowsShownMax} label="What came back">
          <ShowInCollection step={step} />
        </ItemTable>
      )}
    </section>
  );
}

function Cost({ outcome: { cost } }: { readonly outcome: Extract<Outcome, { kind: 'answered' }> }): ReactNode {
  return (
    <span className="quiet" data-testid="cost">
      1 request, {plural(cost.itemsRead, 'item')} read, {cost.itemsReturned} returned, {unitsText(cost.readUnits)} RCU
    </span>
  );
}

/** The collection that a Query reads, among its neighbours. */
function ShowInCollection({ step: { input } }: { readonly step: TourStep }): ReactNode {
  const { IndexName, ExpressionAttributeValues } = input as {
    readonly IndexName?: string;
    readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly S?: string }>>;
  };
  const pk = ExpressionAttributeValues?.[':pk']?.S;
  if (pk === undefined) return null;
  return (
    <Link to={{ view: 'collections', table: tourTable, index: IndexName, pk: `S:${pk}` }} className="button plain">
      Show the collection
    </Link>
  );
}

/** The members of answers that contain items. */
interface Output {
  readonly Items?: readonly AttributeMap[];
  readonly Item?: AttributeMap;
  readonly Responses?: Readonly<Record<string, readonly AttributeMap[]>>;
}

function itemsOf({ Items, Item, Responses }: Output): readonly AttributeMap[] {
  return Items ?? (Item ? [Item] : Object.values(Responses ?? {}).flat());
}
