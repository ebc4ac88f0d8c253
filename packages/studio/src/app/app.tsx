import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { CollectionsView } from '../features/collections/collections-view.tsx';
import { HeatView } from '../features/heat/heat-view.tsx';
import { MigrationsView } from '../features/migrations/migrations-view.tsx';
import { ModelView } from '../features/model/model-view.tsx';
import { QueryView } from '../features/query/query-view.tsx';
import { RequestsView } from '../features/requests/requests-view.tsx';
import { StatementView } from '../features/sql/statement-view.tsx';
import { StreamsView } from '../features/streams/streams-view.tsx';
import { SettingsView } from '../features/settings/settings-view.tsx';
import { TableView } from '../features/table/table-view.tsx';
import { TablesView } from '../features/tables/tables-view.tsx';
import { TourView } from '../features/tour/tour-view.tsx';
import { callerOfPage, onConnectionChange } from '../wire/connection.ts';
import { type Address, navigate, useAddress } from './address.ts';
import { destinations } from './destinations.ts';
import { KeyDialog } from './key-dialog.tsx';
import { useChord, useGoKeys, useKeys } from './keys.ts';
import { Palette } from './palette.tsx';
import { Shell } from './shell.tsx';

/** The page. Another caller sees other things: all views begin again. */
export function App(): ReactNode {
  const caller = useSyncExternalStore(onConnectionChange, callerOfPage);
  return <Page key={caller ?? ''} />;
}

function Page(): ReactNode {
  const address = useAddress();
  const [isFinding, setFinding] = useState(false);
  const find = (): void => setFinding(true);
  const [isShowingKeys, setShowingKeys] = useState(false);
  const showKeys = (): void => setShowingKeys(true);
  useChord('k', find);
  useKeys({
    '/': find,
    '?': showKeys,
    t: () => navigate({ view: 'tables' }),
    // In the model, the key opens the runner itself.
    r: () => address.view !== 'model' && navigate({ view: 'model', section: 'patterns' }),
  });
  useGoKeys({
    t: () => navigate({ view: 'tables' }),
    ...Object.fromEntries(destinations.map(({ key, to }) => [key, () => navigate(to)])),
  });
  return (
    <>
      <Shell address={address} onFind={find}>
        <View address={address} />
      </Shell>
      {isFinding && <Palette address={address} onKeys={showKeys} onClose={() => setFinding(false)} />}
      {isShowingKeys && <KeyDialog address={address} onClose={() => setShowingKeys(false)} />}
    </>
  );
}

function View({ address }: { readonly address: Address }): ReactNode {
  if (address.view === 'tables') return <TablesView address={address} />;
  if (address.view === 'table') return <TableView address={address} />;
  if (address.view === 'heat') return <HeatView address={address} />;
  if (address.view === 'migrations') return <MigrationsView address={address} />;
  if (address.view === 'tour') return <TourView address={address} />;
  if (address.view === 'settings') return <SettingsView />;
  if (address.view === 'model') return <ModelView address={address} />;
  if (address.view === 'query') return <QueryView address={address} />;
  if (address.view === 'requests') return <RequestsView address={address} />;
  if (address.view === 'streams') return <StreamsView address={address} />;
  if (address.view === 'statement') return <StatementView address={address} />;
  return <CollectionsView address={address} />;
}
