import { type ReactNode, useState } from 'react';
import { type ModelAddress, navigate } from '../../app/address.ts';
import { Icon } from '../../ui/icon.tsx';
import type { Finding, ModelAnswer } from '../../wire/model-answers.ts';

const signs = { error: '×', warning: '!', hint: '·', accepted: <Icon name="proven" /> } as const;

interface FindingsProps {
  readonly address: ModelAddress;
  readonly model: ModelAnswer;
}

/** The findings of the rules: message, remedy, the place in the file, and the purpose of the rule. */
export function Findings({ address, model }: FindingsProps): ReactNode {
  const { findings } = model.check;
  const open = findings.filter(({ level }) => level !== 'accepted');
  return (
    <section aria-label="Findings">
      <h2>
        Findings <span>{open.length === 0 ? 'none' : open.length}</span>
      </h2>
      {findings.map((finding, number) =>
        finding.level === 'accepted' ? null : (
          <FindingBox
            key={`${finding.code} ${finding.path} ${finding.message}`}
            finding={finding}
            model={model}
            isOpen={address.finding === String(number)}
            onToggle={(isOpen) => navigate({ ...address, finding: isOpen ? String(number) : undefined }, 'replace')}
          />
        ),
      )}
    </section>
  );
}

function FindingBox({
  finding,
  model,
  isOpen,
  onToggle,
}: {
  readonly finding: Finding;
  readonly model: ModelAnswer;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}): ReactNode {
  const { code, level, message, remedy, place } = finding;
  return (
    <article className={`finding ${level}`}>
      <span className="sign" aria-hidden="true">
        {signs[level]}
      </span>
      <span className="mono code">{code}</span>
      <div>
        <p>
          <span className="hidden">{level}: </span>
          {message}
        </p>
        <p className="quiet">{remedy}</p>
        <p className="mono quiet">{place}</p>
      </div>
      <button type="button" className="button" aria-expanded={isOpen} onClick={() => onToggle(!isOpen)}>
        Open in model
      </button>
      {isOpen && <FindingDetail finding={finding} model={model} />}
    </article>
  );
}

function FindingDetail({ finding, model }: { readonly finding: Finding; readonly model: ModelAnswer }): ReactNode {
  const { place, excerpt, code } = finding;
  const rule = model.rules[code];
  const [, line] = /:(\d+):\d+$/.exec(place) ?? [];
  return (
    <div className="finding-detail">
      {excerpt && (
        <pre className="mono" tabIndex={0} aria-label={`Lines of ${place}`}>
          {excerpt.lines.map((text, at) => {
            const number = excerpt.firstLine + at;
            return (
              <span key={number} className={String(number) === line ? 'line here' : 'line'}>
                <i>{number}</i>
                {text}
              </span>
            );
          })}
        </pre>
      )}
      <CopyPlace place={place} />
      {rule && (
        <div className="rule">
          <h3>{rule.title}</h3>
          <p>{rule.why}</p>
          <p>
            <b>Remedy.</b> {rule.remedy}
          </p>
          <p>
            <a href={`/studio/docs/rules/${code}.html`} target="_blank" rel="noopener" className="to-table">
              The page of {code}
            </a>
          </p>
        </div>
      )}
    </div>
  );
}

function CopyPlace({ place }: { readonly place: string }): ReactNode {
  const [said, setSaid] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(place);
      setSaid('Copied');
    } catch {
      setSaid('The browser refused to copy: select the text instead');
    }
  };
  return (
    <p>
      <button type="button" className="button" onClick={() => void copy()}>
        Copy {place}
      </button>{' '}
      <span role="status" className="quiet">
        {said}
      </span>
    </p>
  );
}

/** The findings that the model accepts, with its reasons. */
export function Accepted({ model }: { readonly model: ModelAnswer }): ReactNode {
  const accepted = model.check.findings.filter(({ level }) => level === 'accepted');
  return (
    <section aria-label="Accepted findings">
      <h2>
        Accepted <span>{accepted.length === 0 ? 'nothing' : 'findings, and why'}</span>
      </h2>
      {accepted.map(({ code, path, message, because }) => (
        <article key={`${code} ${path} ${message}`} className="finding accepted">
          <span className="sign" aria-hidden="true">
            {signs.accepted}
          </span>
          <span className="mono code">{code}</span>
          <div>
            <p>{message}</p>
            <p className="quiet">{because}</p>
          </div>
        </article>
      ))}
    </section>
  );
}
