import { type ReactNode, useEffect, useState } from 'react';
import { useKeys } from '../../app/keys.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ExplanationPanel, useExplanation } from '../../ui/explanation-panel.tsx';
import { Failure } from '../../ui/failure.tsx';
import { bytesText, millisecondsText } from '../../ui/figures.ts';
import { Icon } from '../../ui/icon.tsx';
import { Link } from '../../ui/link.tsx';
import type { Exchange } from '../../wire/client.ts';
import { inspect } from '../../wire/inspect.ts';
import { findingsOf, type LoggedRequest, type LoggedRequestWithBodies } from './logged-request.ts';

interface RequestPanelProps {
  readonly seq: string;
  readonly others: readonly LoggedRequest[];
  readonly onExchange: (exchange: Exchange) => void;
  readonly onClose: () => void;
}

const explained = /^(Query|Scan|GetItem|ExecuteStatement)$/;

/** One request: the reason for its cost, its body and answer, and what it would read now. */
export function RequestPanel({ seq, others, onExchange, onClose }: RequestPanelProps): ReactNode {
  const [known, setKnown] = useState<{ readonly request?: LoggedRequestWithBodies; readonly error?: Error }>({});
  const explanation = useExplanation(onExchange);
  useEffect(() => {
    const abort = new AbortController();
    inspect<LoggedRequestWithBodies>(`requests/${encodeURIComponent(seq)}`, { signal: abort.signal, onExchange }).then(
      (request) => setKnown({ request }),
      (error: unknown) => abort.signal.aborted || setKnown({ error: error as Error }), // inspect() throws errors only
    );
    return () => abort.abort();
  }, [seq, onExchange]);
  const { request, error } = known;
  const body = request?.bodies.request ?? null;
  const isExplained =
    request !== undefined && body !== null && request.error === null && explained.test(request.action ?? '');
  const explain = (): void => {
    if (isExplained) explanation.ask({ operation: request.action ?? '', input: JSON.parse(body) as object }); // it was accepted
  };
  useKeys({ e: explain });
  return (
    <aside className="feed-panel" aria-label="Request">
      <header>
        <h2>{request?.action ?? 'Request'}</h2>
        <span className="grow" />
        {isExplained && (
          <button type="button" className="button" onClick={explain}>
            Explain <kbd>E</kbd>
          </button>
        )}
        <button type="button" className="button plain" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {error && <Failure error={error} />}
      {request && (
        <>
          <dl className="mono">
            <dt>Status</dt>
            <dd>
              {request.status} {request.error}
            </dd>
            <dt>Duration</dt>
            <dd>{millisecondsText(request.durationMs)}</dd>
            <dt>Bytes</dt>
            <dd>
              {bytesText(request.requestBytes)} sent, {bytesText(request.responseBytes)} received
            </dd>
            <dt>Who</dt>
            <dd>
              {request.who.identity} {request.who.userAgent} {request.who.address}
            </dd>
            {request.patterns !== undefined && request.patterns.length > 0 && (
              <>
                <dt>Pattern</dt>
                <dd className="request-patterns">
                  {request.patterns.map(({ model, name }) => (
                    <Link key={`${model} ${name}`} to={{ view: 'model', model, section: 'patterns', p: name }}>
                      {name}
                    </Link>
                  ))}
                </dd>
              </>
            )}
            {request.keys.length > 0 && (
              <>
                <dt>Keys</dt>
                <dd>{request.keys.join(', ')}</dd>
              </>
            )}
          </dl>
          <section className="why" aria-label="Why">
            {findingsOf(request, others).map(({ code, message, remedy }) => (
              <p key={code}>
                <span className="sign warn" aria-hidden="true">
                  !{' '}
                </span>
                {message} <b>{remedy}</b>
              </p>
            ))}
          </section>
          <ExplanationPanel explanation={explanation} />
          {request.bodies.omitted !== null && <p className="message">{request.bodies.omitted}</p>}
          <Body title="Request" text={request.bodies.request} />
          <Body title="Response" text={request.bodies.response} />
        </>
      )}
    </aside>
  );
}

function Body({ title, text }: { readonly title: string; readonly text: string | null }): ReactNode {
  if (text === null) return null;
  const shown = indented(text);
  return (
    <section className="body" aria-label={title}>
      <header>
        <b>{title}</b>
        <span className="grow" />
        <CopyButton text={shown} label={`Copy ${title}`} />
      </header>
      <pre className="mono" tabIndex={0}>
        {shown}
      </pre>
    </section>
  );
}

/** Numbers of items are in quotes, so that no digit is lost. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
