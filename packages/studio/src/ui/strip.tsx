import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { requestForms, requestText, type RequestForm } from '../request-text/request-text.ts';
import type { Exchange } from '../wire/client.ts';
import type { RequestLog, RequestSums } from '../wire/request-log.ts';
import { countText, millisecondsText, plural, unitsText } from './figures.ts';
import './strip.css';

/** The requests behind the current view, what they read, returned and cost; and the last one as code. */
export function Strip({ log, subject }: { readonly log: RequestLog; readonly subject: string }): ReactNode {
  const sums = useSyncExternalStore(log.subscribe, log.snapshot);
  const [form, setForm] = useState<RequestForm>();
  const last = sums.last.at(-1);
  const toggle = (chosen: RequestForm): void => setForm(form === chosen ? undefined : chosen);
  return (
    <footer className="strip mono" aria-label="Requests of this view">
      <span className="sums" data-testid="sums">
        <span className="subject">
          <b>{last?.operation ?? 'Nothing asked'}</b> {subject}
        </span>
        <span className="quiet">{plural(sums.requests, 'request')}</span>
        <span className="quiet">
          {countText(sums.itemsRead)} read, {countText(sums.itemsReturned)} returned
        </span>
        <span className="quiet">{unitTexts(sums).join(', ')}</span>
        <span className="quiet">{millisecondsText(sums.durationMs)}</span>
      </span>
      <span className="forms" role="group" aria-label="Last request as">
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
  const copyButton = useRef<HTMLButtonElement>(null);
  const text = requestText(form, exchange.operation, exchange.input);
  useEffect(() => {
    const before = document.activeElement;
    copyButton.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <section
      className="code-panel"
      aria-label="Request as code"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header>
        <b>{exchange.operation}</b>
        <span className="quiet">{millisecondsText(exchange.durationMs)}</span>
        <span className="grow" />
        <button ref={copyButton} type="button" className="button" onClick={() => void copy(text).then(setCopied)}>
          Copy
        </button>
        <button type="button" className="button" onClick={onClose}>
          Close <kbd>Esc</kbd>
        </button>
      </header>
      <pre tabIndex={0}>{text}</pre>
      <span role="status" className="hidden">
        {copied}
      </span>
    </section>
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
