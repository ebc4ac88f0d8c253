import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { requestForms, requestText, type RequestForm } from '../request-text/request-text.ts';
import type { Exchange } from '../wire/client.ts';
import type { RequestLog, RequestSums } from '../wire/request-log.ts';
import { ExplanationPanel, useExplanation } from './explanation-panel.tsx';
import { countText, millisecondsText, plural, unitsText } from './figures.ts';
import './strip.css';

/** The requests behind the current view, what they read, returned and cost; and the last one as code. */
export function Strip({
  log,
  subject,
  isExplained = false,
}: {
  readonly log: RequestLog;
  readonly subject: string;
  /** Whether the last read can be explained here. Other views have an explanation of their own. */
  readonly isExplained?: boolean;
}): ReactNode {
  const sums = useSyncExternalStore(log.subscribe, log.snapshot);
  const [form, setForm] = useState<RequestForm>();
  const last = sums.last.at(-1);
  const lastRead = isExplained ? sums.last.findLast(({ operation }) => explainedOperations.has(operation)) : undefined;
  const [isExplaining, setExplaining] = useState(false);
  const explain = (): void => setExplaining(lastRead !== undefined && !isExplaining);
  const toggle = (chosen: RequestForm): void => setForm(form === chosen ? undefined : chosen);
  return (
    <footer className="strip mono" aria-label="Requests of this view">
      <span className="sums" data-testid="sums">
        <span className="subject">
          <b>{last?.operation ?? 'No requests yet'}</b> {subject}
        </span>
        <span className="quiet">{plural(sums.requests, 'request')}</span>
        <span className="quiet">
          {countText(sums.itemsRead)} read, {countText(sums.itemsReturned)} returned
        </span>
        <span className="quiet">{unitTexts(sums).join(', ')}</span>
        <span className="quiet">{millisecondsText(sums.durationMs)}</span>
      </span>
      <span className="forms" role="group" aria-label="Last request as">
        {isExplained && (
          <button
            type="button"
            className="explain"
            aria-pressed={isExplaining}
            disabled={lastRead === undefined}
            onClick={explain}
          >
            Explain <kbd>E</kbd>
          </button>
        )}
        {requestForms.map(({ form: each, title }) => (
          <button
            key={each}
            type="button"
            aria-pressed={form === each}
            disabled={last === undefined}
            onClick={() => toggle(each)}
          >
            {title}
          </button>
        ))}
      </span>
      {isExplaining && lastRead !== undefined && (
        <ExplainedPanel exchange={lastRead} onExchange={log.add} onClose={() => setExplaining(false)} />
      )}
      {form !== undefined && last !== undefined && (
        <CodePanel exchange={last} form={form} onClose={() => setForm(undefined)} />
      )}
    </footer>
  );
}

/** Nothing consumed is a figure as well: it says that looking is free. */
function unitTexts({ readUnits, writeUnits, streamUnits }: RequestSums): readonly string[] {
  const consumed = [
    ...(readUnits > 0 ? [`${unitsText(readUnits)} RCU`] : []),
    ...(writeUnits > 0 ? [`${unitsText(writeUnits)} WCU`] : []),
    ...(streamUnits > 0 ? [`${unitsText(streamUnits)} stream RRU`] : []),
  ];
  return consumed.length === 0 ? ['0 RCU'] : consumed;
}

const explainedOperations: ReadonlySet<string> = new Set(['Query', 'Scan', 'GetItem']);

/** Why the last read cost what it cost, and what would serve it better. */
function ExplainedPanel({
  exchange,
  onExchange,
  onClose,
}: {
  readonly exchange: Exchange;
  readonly onExchange: (exchange: Exchange) => void;
  readonly onClose: () => void;
}): ReactNode {
  const explanation = useExplanation(onExchange);
  // The request that was the last one when the panel opened.
  useEffect(() => explanation.ask({ operation: exchange.operation, input: exchange.input }), []);
  return (
    <Layer label="Why this request costs what it costs" title={exchange.operation} onClose={onClose}>
      <ExplanationPanel explanation={explanation} />
    </Layer>
  );
}

interface LayerProps {
  readonly label: string;
  readonly title: string;
  readonly onClose: () => void;
  /** Beside the button that closes it. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A panel above the strip. It takes the focus, and returns it when it is closed. */
function Layer({ label, title, onClose, actions, children }: LayerProps): ReactNode {
  const layer = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    layer.current?.querySelector('button')?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <section
      ref={layer}
      className="code-panel"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header>
        <b>{title}</b>
        <span className="grow" />
        {actions}
        <button type="button" className="button" onClick={onClose}>
          Close <kbd>Esc</kbd>
        </button>
      </header>
      {children}
    </section>
  );
}

function CodePanel({
  exchange,
  form,
  onClose,
}: {
  readonly exchange: Exchange;
  readonly form: RequestForm;
  readonly onClose: () => void;
}): ReactNode {
  const [copied, setCopied] = useState<string>();
  const text = requestText(form, exchange.operation, exchange.input);
  return (
    <Layer
      label="Request as code"
      title={exchange.operation}
      onClose={onClose}
      actions={
        <>
          <span className="quiet">{millisecondsText(exchange.durationMs)}</span>
          <button type="button" className="button" onClick={() => void copy(text).then(setCopied)}>
            Copy
          </button>
        </>
      }
    >
      <pre tabIndex={0}>{text}</pre>
      <span role="status" className="hidden">
        {copied}
      </span>
    </Layer>
  );
}

async function copy(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied';
  } catch {
    return 'The browser refused to copy: select the text instead';
  }
}
