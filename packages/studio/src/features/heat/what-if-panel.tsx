import { type ReactNode, useEffect, useState } from 'react';
import { type HeatAddress, navigate } from '../../app/address.ts';
import { unitsText } from '../../ui/figures.ts';
import { keyText } from '../../values/value-text.ts';
import type { HotKey, Load, WhatIf } from '../../wire/heat-answers.ts';
import { inspect } from '../../wire/inspect.ts';
import type { RequestLog } from '../../wire/request-log.ts';

interface WhatIfPanelProps {
  readonly address: HeatAddress;
  readonly table: string;
  readonly index: string | undefined;
  readonly hottest: HotKey | undefined;
  readonly log: RequestLog;
}

const shardsByDefault = '10';

/** The load of the hottest key if it were spread over several partition keys. No data is read or written. */
export function WhatIfPanel({ address, table, index, hottest, log }: WhatIfPanelProps): ReactNode {
  const { shards = shardsByDefault } = address;
  const [answer, setAnswer] = useState<WhatIf>();
  const [error, setError] = useState('');
  const load = hottest && `${JSON.stringify(hottest.key)} ${hottest.reads} ${hottest.writes}`;
  useEffect(() => {
    if (load === undefined) return undefined;
    const abort = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        const body = { shards: Number(shards), ...(index !== undefined && { index }) };
        const options = { body, signal: abort.signal, onExchange: log.add };
        setAnswer(await inspect<WhatIf>(`what-if/${encodeURIComponent(table)}`, options));
        setError('');
      } catch (cause) {
        if (!abort.signal.aborted) setError(cause instanceof Error ? cause.message : String(cause));
      }
    };
    void ask();
    return () => abort.abort();
  }, [table, index, shards, load, log]);
  return (
    <section aria-label="What if">
      <h2>
        What if <span>the hottest key were sharded</span>
      </h2>
      <label className="shards">
        Shards{' '}
        <input
          className="field mono"
          type="number"
          min={1}
          max={999}
          value={shards}
          onChange={(event) => navigate({ ...address, shards: event.target.value || undefined }, 'replace')}
        />
      </label>
      {error !== '' && <p className="problem">× {error}</p>}
      {hottest !== undefined && answer?.key && <Answer answer={answer} />}
    </section>
  );
}

function Answer({ answer }: { readonly answer: WhatIf }): ReactNode {
  const { key, now, random, bySortKey, partition, requestsPerQuery, unitsPerQueryMin, hottestThen, shards } = answer;
  const name = Object.values(key ?? {})
    .map((value) => keyText(value))
    .join();
  return (
    <dl className="what-if" data-testid="what-if">
      <dt className="mono">{name}</dt>
      <dd>{loadText(now, partition)}</dd>
      <dt>{shards} shards, at random</dt>
      <dd>{loadText(random, partition)} on each</dd>
      {bySortKey && (
        <>
          <dt>by the sort key&rsquo;s hash</dt>
          <dd>{loadText(bySortKey, partition)} on the hottest</dd>
        </>
      )}
      <dt>a query of all shards</dt>
      <dd>
        {requestsPerQuery} {requestsPerQuery === 1 ? 'request' : 'requests'}, at least {unitsText(unitsPerQueryMin)} RCU
      </dd>
      {hottestThen && (
        <>
          <dt>the hottest key then</dt>
          <dd className="mono">
            {Object.values(hottestThen.key)
              .map((value) => keyText(value))
              .join()}
          </dd>
        </>
      )}
      <dt>in a model</dt>
      <dd>
        <code className="mono">{`{id:shard${shards}}`}</code> in the template of the partition key, and{' '}
        <code className="mono">fanOut: {shards}</code> where it is read
      </dd>
    </dl>
  );
}

function loadText({ reads, writes }: Load, partition: Load): string {
  const share = Math.max(reads / partition.reads, writes / partition.writes);
  return `${unitsText(reads)} read and ${unitsText(writes)} write units a second, ${unitsText(share * 100)} % of a partition`;
}
