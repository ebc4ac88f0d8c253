import type { ReactNode } from 'react';
import { bytesText } from '../../ui/figures.ts';
import type { Chart, ModelAnswer } from '../../wire/model-answers.ts';
import { moneyText } from './pattern-list.tsx';

/** The costs of the model by its own declarations: the total, then each pattern. */
export function CostSection({ model }: { readonly model: ModelAnswer }): ReactNode {
  const { cost, costChart } = model.document;
  const { prices, peakToAverage } = cost;
  return (
    <section className="cost" aria-label="Cost">
      <h2>
        Cost{' '}
        <span>
          a month, in {prices.currency} by the prices of {prices.region} of {prices.date}; the peak {peakToAverage}{' '}
          times the average
        </span>
      </h2>
      <dl className="totals">
        <Total title="Requests, on demand" text={moneyText(cost.onDemandPerMonth)} />
        <Total title="Capacity for the peak, provisioned" text={moneyText(cost.provisionedPerMonth)} />
        <Total title={`Storage of ${bytesText(cost.storedBytes)}`} text={moneyText(cost.storagePerMonth)} />
      </dl>
      <ChartTable chart={costChart} label="Cost of each pattern" />
    </section>
  );
}

function Total({ title, text }: { readonly title: string; readonly text: string }): ReactNode {
  return (
    <div>
      <dt className="quiet">{title}</dt>
      <dd className="mono">{text}</dd>
    </div>
  );
}

export function ChartTable({ chart, label }: { readonly chart: Chart; readonly label: string }): ReactNode {
  return (
    <div className="chart" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {chart.columns.map((column, at) => (
              <th key={column} className={at === 0 ? undefined : 'number'}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {chart.rows.map((cells) => (
            <tr key={cells.join('\n')}>
              {cells.map((cell, at) => (
                <td key={chart.columns[at]} className={at === 0 ? undefined : 'mono number'}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
