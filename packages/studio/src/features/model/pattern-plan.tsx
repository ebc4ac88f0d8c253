import type { ReactNode } from 'react';
import { bytesText, countText, plural, unitsText } from '../../ui/figures.ts';
import type { ModelAnswer, PatternVerdict } from '../../wire/model-answers.ts';
import { moneyText } from './pattern-list.tsx';
import { type Drafts } from './pattern-input.ts';

interface PatternPlanProps {
  readonly model: ModelAnswer;
  readonly pattern: PatternVerdict;
  readonly drafts: Drafts;
}

/** The plan of a pattern before it runs: the operation, the range of keys, and its cost by the declarations of the model. */
export function PatternPlan({ model, pattern, drafts }: PatternPlanProps): ReactNode {
  const explanation = model.explanations.find(({ pattern: name }) => name === pattern.pattern);
  const { served } = pattern;
  const cost = explanation?.cost;
  return (
    <section className="plan" aria-label="Plan">
      {served === undefined ? (
        <p>Not served.</p>
      ) : (
        <dl className="mono">
          <dt>{served.operation}</dt>
          <dd>{served.place}</dd>
          {conditionsOf(served.keyCondition ?? '').map(({ attribute, text }) => (
            <Condition key={attribute} attribute={attribute} text={text} drafts={drafts} />
          ))}
          {served.order !== undefined && (
            <>
              <dt>order</dt>
              <dd>
                {served.order}
                {served.limit !== undefined && `, ${plural(served.limit, 'item')} a page`}
              </dd>
            </>
          )}
          {served.filter !== undefined && (
            <>
              <dt>filter</dt>
              <dd>{served.filter.join(', ')}, after reading</dd>
            </>
          )}
          {cost !== undefined && (
            <>
              <dt>cost</dt>
              <dd>
                {[
                  cost.readUnits > 0 ? `${unitsText(cost.readUnits)} RCU` : '',
                  cost.writeUnits > 0 ? `${unitsText(cost.writeUnits)} WCU` : '',
                ]
                  .filter((text) => text !== '')
                  .join(', ')}
                , {plural(cost.requests, 'request')}, about {countText(Math.round(cost.items * 10) / 10)} items of{' '}
                {bytesText(Math.round(cost.bytes))} in all
              </dd>
              {cost.rate !== undefined && cost.onDemandPerMonth !== undefined && (
                <>
                  <dt>at peak</dt>
                  <dd>
                    {unitsText(cost.rate)} a second, {moneyText(cost.onDemandPerMonth)} a month
                  </dd>
                </>
              )}
            </>
          )}
        </dl>
      )}
      {explanation?.problems.map((problem) => (
        <p key={problem} className="problem">
          × {problem}
        </p>
      ))}
      {model.check.findings
        .filter(({ path, level }) => level !== 'accepted' && path.split('.')[1] === pattern.pattern)
        .map(({ code, message, remedy, level }) => (
          <p key={`${code} ${message}`} className={level === 'error' ? 'problem' : 'warning'}>
            {level === 'error' ? '×' : '!'} {message} {remedy}
          </p>
        ))}
    </section>
  );
}

function Condition({
  attribute,
  text,
  drafts,
}: {
  readonly attribute: string;
  readonly text: string;
  readonly drafts: Drafts;
}): ReactNode {
  return (
    <>
      <dt>{attribute}</dt>
      <dd>
        {text.split(/(\{[^}]*\})/).map((part, at) => {
          // After the split, every second part is a variable, in an order that never changes.
          if (at % 2 === 0)
            return (
              <span key={at} className="literal">
                {part}
              </span>
            );
          const name = part.slice(1, -1);
          const value = drafts[name] ?? '';
          return value === '' ? <i key={at}>{name}</i> : <b key={at}>{value}</b>;
        })}
      </dd>
    </>
  );
}

/** `PK = A AND SK BETWEEN B AND C` as one condition for each attribute. */
export function conditionsOf(keyCondition: string): readonly { readonly attribute: string; readonly text: string }[] {
  const parts = keyCondition === '' ? [] : keyCondition.split(/ AND (?=[\w.-]+ (?:=|BETWEEN) |begins_with\()| \| /);
  const found = parts.map((part) => {
    const [, prefixed, prefix] = /^begins_with\(([^,]+), (.*)\)$/s.exec(part) ?? [];
    if (prefixed !== undefined) return { attribute: prefixed, text: `begins with ${prefix ?? ''}` };
    const [, attribute = '', how, rest = ''] = /^(\S+) (=|BETWEEN) (.*)$/s.exec(part) ?? [];
    return { attribute, text: how === 'BETWEEN' ? rest.replace(' AND ', ' to ') : `= ${rest}` };
  });
  // Several ranges of one attribute are read in parallel.
  const names = [...new Set(found.map(({ attribute }) => attribute))];
  return names.map((attribute) => {
    const texts = found.filter((each) => each.attribute === attribute).map(({ text }) => text);
    return { attribute, text: [...new Set(texts)].join(' and ') };
  });
}
