import { ionLineWriter } from '../../transfer/formats/index.ts';
import {
  type AttributeMap,
  type AttributeValue,
  getAttribute,
  type MutableAttributeMap,
  setAttribute,
} from '../../values/attribute-value.ts';
import { StoredItem } from '../layout/stored-item.ts';
import type { ExportFilter } from './export-filter.ts';
import type { ExportRecord } from './export-record.ts';
import { msOfMoment } from '../layout/moment.ts';

/** An item that was changed between two moments, with its old and new state. */
export interface ChangedItem {
  readonly lastMoment: number;
  readonly before: StoredItem | undefined;
  readonly after: StoredItem | undefined;
}

/** Writes lines of an export's data files, each with its line end. */
export interface ExportLines {
  /** For a full export; undefined for an item that is left out. */
  item(item: StoredItem): string | undefined;
  /** For an incremental export; undefined for an item that was created and deleted meanwhile, or is left out. */
  change(change: ChangedItem): string | undefined;
}

/** The lines in the format of an export. Ion is loaded on first use. */
export async function exportLines(record: ExportRecord, filter: ExportFilter): Promise<ExportLines> {
  const writesIon = record.exportFormat === 'ION';
  if (!writesIon) {
    return {
      item: (item) => (filter.isExported(item) ? `{"Item":${jsonText(filter.partOf(item))}}\n` : undefined),
      change: (change) => {
        const members = changeMembers(record, filter, change);
        if (members === undefined) return undefined;
        const plain = Object.entries(members).map(([name, value]) => [name, 'M' in value ? value.M : value]);
        return `${JSON.stringify(Object.fromEntries(plain))}\n`;
      },
    };
  }
  const itemLine = await ionLineWriter();
  return {
    item: (item) => (filter.isExported(item) ? itemLine(mapOf(filter.partOf(item))) : undefined),
    change: (change) => {
      const members = changeMembers(record, filter, change);
      // A change is written like an item, under another name.
      return members && itemLine(members).replace('{Item:', '{Record:');
    },
  };
}

/** `Metadata`, `Keys`, and the images of the view type. A reader tells from the missing image what happened. */
function changeMembers(
  { keyNames, incremental }: ExportRecord,
  filter: ExportFilter,
  { lastMoment, before, after }: ChangedItem,
): AttributeMap | undefined {
  const whole = after ?? before;
  if (whole === undefined || !filter.isExported(whole)) return undefined;
  const keys: MutableAttributeMap = {};
  for (const name of keyNames) {
    const value = getAttribute(whole.toMap(), name);
    if (value !== undefined) setAttribute(keys, name, value);
  }
  const showsBefore = incremental?.viewType !== 'NEW_IMAGE';
  const micros = `${msOfMoment(lastMoment)}000`;
  const members: Record<string, AttributeValue> = {
    Metadata: { M: { WriteTimestampMicros: { N: micros } } },
    Keys: { M: keys },
    ...(showsBefore && before !== undefined && { OldImage: { M: mapOf(filter.partOf(before)) } }),
    ...(after !== undefined && { NewImage: { M: mapOf(filter.partOf(after)) } }),
  };
  return members;
}

function mapOf(part: StoredItem | AttributeMap): AttributeMap {
  return part instanceof StoredItem ? part.toMap() : part;
}

function jsonText(part: StoredItem | AttributeMap): string {
  return part instanceof StoredItem ? part.json.toString('utf8') : JSON.stringify(part);
}
