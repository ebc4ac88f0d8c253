import type { ReactNode } from 'react';
import { Badge, entityClass } from '../../ui/badge.tsx';
import { Link } from '../../ui/link.tsx';
import type { IndexView, ModelAnswer } from '../../wire/model-answers.ts';
import type { ModelEntities } from './model-entities.ts';
import { TemplateText } from './template-text.tsx';

interface KeyChartProps {
  readonly model: ModelAnswer;
  readonly entities: ModelEntities;
}

/** The entity chart: for each entity its key in the table and in each index. */
export function KeyCharts({ model, entities }: KeyChartProps): ReactNode {
  return model.document.entityChart.map(({ table, chart }) => {
    const stored = model.tables[table] ?? table;
    return (
      <section key={table} aria-label={`Keys of ${table}`}>
        <h2>
          Keys{' '}
          <span>
            <Link to={{ view: 'collections', table: stored }} className="to-table">
              {stored}
            </Link>
          </span>
        </h2>
        <div className="key-chart" tabIndex={0} role="region" aria-label={`Entity chart of ${table}`}>
          <table>
            <thead>
              <tr>
                {chart.columns.map((column) => (
                  <th key={column}>{column}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {chart.rows.map(([name = '', ...cells]) => {
                const entity = entities.named(name);
                return (
                  <tr key={name} className={entityClass(entity)}>
                    <th>
                      <span className="entity">
                        {entity && <Badge entity={entity} />}
                        {name}
                      </span>
                    </th>
                    {cells.map((cell, at) => (
                      <td key={chart.columns[at + 1]}>
                        <KeyCell text={cell} isIndex={isIndexColumn(model, chart.columns[at + 1] ?? '')} />
                      </td>
                    ))}
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      </section>
    );
  });
}

function isIndexColumn({ document }: ModelAnswer, column: string): boolean {
  return document.views.some(({ place }) => place.kind !== 'table' && place.name === column);
}

/** The key attributes in a cell of an index are separated by ` / `, and its forms by semicolons. */
function KeyCell({ text, isIndex }: { readonly text: string; readonly isIndex: boolean }): ReactNode {
  if (text === '') return isIndex ? <span className="no">not in this index</span> : null;
  if (!isIndex) return <TemplateText text={text} />;
  return text.split('; ').map((form) => {
    const [key = '', when] = form.split(' when ');
    return (
      <span key={form} className="form">
        {key.split(' / ').map((part, at) => (
          // The attributes of one key, in order.
          <span key={at} className="slot">
            <TemplateText text={part} />
          </span>
        ))}
        {when !== undefined && <span className="no">when {when}</span>}
      </span>
    );
  });
}

const collectionsShownMax = 12;

/** Tables and indexes with sample items, in the order of their keys. */
export function IndexViews({ model, entities }: KeyChartProps): ReactNode {
  return model.document.views.map((view) => (
    <section key={`${view.place.table} ${view.place.name}`} aria-label={`Samples in ${view.place.name}`}>
      <h2>
        {view.place.name}{' '}
        <span>with sample items{view.place.kind === 'table' ? '' : `, an index of ${view.place.table}`}</span>
      </h2>
      <Samples view={view} entities={entities} />
    </section>
  ));
}

function Samples({ view, entities }: { readonly view: IndexView; readonly entities: ModelEntities }): ReactNode {
  if (view.collections.length === 0) return <p className="quiet">No entity has a key here.</p>;
  return (
    <div className="samples" tabIndex={0} role="region" aria-label={`Items of ${view.place.name}`}>
      {view.collections.slice(0, collectionsShownMax).map(({ partition, items }) => (
        <div key={partition} className="sample-collection">
          <h3 className="mono">{partition}</h3>
          {items.map(({ sort, type, attributes }) => {
            const entity = entities.named(type);
            return (
              <div key={`${sort} ${type}`} className={`sample ${entityClass(entity)}`}>
                <i className="spine" />
                {entity ? <Badge entity={entity} /> : <span />}
                <span className="mono">{sort}</span>
                <span className="mono quiet attributes">
                  {attributes.map(([name, value]) => `${name} ${value}`).join('  ')}
                </span>
              </div>
            );
          })}
        </div>
      ))}
      {view.collections.length > collectionsShownMax && (
        <p className="quiet">{view.collections.length - collectionsShownMax} more collections</p>
      )}
    </div>
  );
}
