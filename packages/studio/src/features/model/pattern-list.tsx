import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import type { ModelAddress } from '../../app/address.ts';
import { Badge } from '../../ui/badge.tsx';
import { unitsText } from '../../ui/figures.ts';
import { Icon } from '../../ui/icon.tsx';
import { Link } from '../../ui/link.tsx';
import type { ModelAnswer, PatternCost, PatternVerdict } from '../../wire/model-answers.ts';
import type { ModelEntities } from './model-entities.ts';
import { TemplateText } from './template-text.tsx';

interface PatternListProps {
  readonly address: ModelAddress;
  readonly model: ModelAnswer;
  readonly entities: ModelEntities;
  /** The parts of a pattern that the search covers. */
  readonly q?: string | undefined;
}

/** The access patterns: verdict, the requests that serve them, rate and cost. A selection opens the runner. */
export function PatternList({ address, model, entities, q = '' }: PatternListProps): ReactNode {
  const list = useRef<HTMLUListElement>(null);
  const wanted = q.trim().toLowerCase();
  const shown = model.check.patterns.filter((pattern) => fits(pattern, wanted));
  const costs = new Map(model.document.cost.patterns.map((cost) => [cost.pattern, cost]));
  const rateMax = Math.max(0, ...[...costs.values()].map(({ rate = 0 }) => rate));
  // The list has the keyboard focus when the view opens, unless the runner is open or a field has the focus.
  useEffect(() => {
    const active = document.activeElement;
    if (address.p === undefined && (active === null || active === document.body || active.closest('nav') !== null))
      list.current?.querySelector('a')?.focus({ preventScroll: true });
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    if (step === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
    const links = [...(list.current?.querySelectorAll('a') ?? [])];
    const at = links.findIndex((link) => link === document.activeElement);
    event.preventDefault();
    links[Math.min(links.length - 1, Math.max(0, at + step))]?.focus();
  };
  return (
    <section aria-label="Access patterns">
      <h2>
        Access patterns{' '}
        <span>
          {shown.length === model.check.patterns.length
            ? 'each is one bounded operation by key'
            : `${shown.length} of ${model.check.patterns.length}`}
        </span>
      </h2>
      {shown.length === 0 && <p className="quiet">No pattern has “{q}” in its name, id, actor or operation.</p>}
      <ul ref={list} className="pattern-list" onKeyDown={onKeyDown}>
        {shown.map((pattern) => (
          <li key={pattern.pattern}>
            <Link
              to={{ ...address, p: pattern.pattern, in: address.p === pattern.pattern ? address.in : undefined }}
              current={address.p === pattern.pattern}
            >
              <PatternCells pattern={pattern} entities={entities} cost={costs.get(pattern.pattern)} rateMax={rateMax} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

function fits({ pattern, id = '', actor = '', served }: PatternVerdict, wanted: string): boolean {
  return [pattern, id, actor, served?.operation ?? '', served?.place ?? ''].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}

const signs = { served: <Icon name="proven" />, remarked: '!', refused: '×' } as const;
const words = { served: 'proven', remarked: 'proven, with a warning', refused: 'not proven' } as const;

function PatternCells({
  pattern: { pattern, id, entities: names, served, verdict },
  entities,
  cost,
  rateMax,
}: {
  readonly pattern: PatternVerdict;
  readonly entities: ModelEntities;
  readonly cost: PatternCost | undefined;
  readonly rateMax: number;
}): ReactNode {
  const { rate = 0, onDemandPerMonth } = cost ?? {};
  return (
    <>
      <span className={`verdict ${verdict}`} title={words[verdict]}>
        {signs[verdict]}
        <span className="hidden">{words[verdict]}</span>
      </span>
      <span className="mono id">{id}</span>
      <b>{pattern}</b>
      <span className="badges">
        {names.map((name) => {
          const entity = entities.named(name);
          return entity && <Badge key={name} entity={entity} />;
        })}
      </span>
      <span className="mono how">{served === undefined ? 'not served' : <Served {...served} />}</span>
      <span className="mono rate">
        {rate > 0 && (
          <>
            <svg viewBox="0 0 70 6" aria-hidden="true">
              {/* The square root keeps a pattern with a hundredth of the rate visible. */}
              <rect width={Math.max(2, Math.sqrt(rate / rateMax) * 70)} height="6" rx="3" />
            </svg>
            {unitsText(rate)}/s
          </>
        )}
      </span>
      <span className="mono cost">{onDemandPerMonth !== undefined && moneyText(onDemandPerMonth)}</span>
    </>
  );
}

function Served({ operation, place, keyCondition, requests }: NonNullable<PatternVerdict['served']>): ReactNode {
  const key = keyCondition === undefined ? undefined : /= (\S+)/.exec(keyCondition)?.[1];
  return (
    <>
      {operation} {requests > 1 && `× ${requests} `}
      <span className="quiet">{place} </span>
      {key !== undefined && <TemplateText text={key} />}
    </>
  );
}

const money = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const wholeMoney = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 0 });

/** `$32.85`, and `$1,240` from a thousand. */
export function moneyText(amount: number): string {
  return amount >= 1000 ? wholeMoney.format(amount) : money.format(amount);
}
