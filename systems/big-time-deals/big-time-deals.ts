import { Catalogue } from './catalogue.ts';
import { openConnection, type SiteOptions } from './connection.ts';
import { DealChanges } from './deal-changes.ts';
import { Editors } from './editors.ts';
import { Inbox } from './inbox.ts';
import { Members } from './members.ts';

/** The site: everything that the application can do, grouped by role. */
export interface BigTimeDeals {
  readonly catalogue: Catalogue;
  readonly editors: Editors;
  readonly members: Members;
  readonly inbox: Inbox;
  readonly changes: DealChanges;
}

/** Opens the site on an existing table. */
export function openBigTimeDeals(options: SiteOptions): BigTimeDeals {
  const connection = openConnection(options);
  const inbox = new Inbox(connection);
  return {
    catalogue: new Catalogue(connection),
    editors: new Editors(connection),
    members: new Members(connection),
    inbox,
    changes: new DealChanges(connection, inbox),
  };
}
