import type { ReactNode } from 'react';
import { countText, plural } from '../../ui/figures.ts';
import { Icon } from '../../ui/icon.tsx';
import type { MigrationJob } from '../../wire/migration-answers.ts';

/** What a verification read and found. */
export function VerifiedReport({
  verified: { ok, scanned, entities, indexes, faultCount, faults },
}: {
  readonly verified: NonNullable<MigrationJob['verified']>;
}): ReactNode {
  return (
    <section className="verified" aria-label="Verification">
      <h3 className={ok ? 'ok' : 'bad'}>
        {ok ? (
          <>
            <Icon name="proven" /> Every item is as the new version would write it
          </>
        ) : (
          `× ${plural(faultCount, 'fault')}`
        )}
      </h3>
      <p className="mono quiet">
        {plural(scanned, 'item')} read
        {Object.entries(entities).map(([entity, count]) => ` · ${entity} ${countText(count)}`)}
        {Object.entries(indexes).flatMap(([index, kinds]) =>
          Object.entries(kinds).map(
            ([kind, { items, entries }]) => ` · ${index}, ${kind}: ${countText(entries)} of ${countText(items)}`,
          ),
        )}
      </p>
      <ul>
        {faults.map(({ code, entity, key, message }, at) => (
          // In the order in which they were found.
          <li key={at}>
            <span className="mono">
              {code} {entity} {Object.values(key).map(String).join(' / ')}
            </span>
            : {message}
          </li>
        ))}
      </ul>
    </section>
  );
}
