import type { BuiltRequest } from './context.ts';
import type { PageInput, StoredPage } from './page-reader.ts';
import { typeOfItem } from './stored-item.ts';
import { StreamReader, type StreamSource } from './stream-reader.ts';

/** Reads a collection that one item leads. That item is returned in addition to the limit, on the first page, if it exists. */
export class LeadReader extends StreamReader {
  readonly #isLead: (item: StoredPage['items'][number]) => boolean;

  constructor(source: StreamSource, stream: StreamReader['stream']) {
    super(source, stream);
    const leads = source.plan.parts.filter(({ many }) => !many);
    this.#isLead = (item) => leads.some(({ entity }) => typeOfItem(item, entity) === entity.type);
  }

  override requests(page: PageInput, from: unknown): BuiltRequest[] {
    return super.requests(withLead(page, from), from);
  }

  override async read(page: PageInput, from: unknown): Promise<StoredPage> {
    const read = await super.read(withLead(page, from), from);
    const { wanted } = page;
    const last = wanted === undefined ? undefined : read.items[wanted - 1];
    if (last === undefined || read.items.length === wanted || read.items.some(this.#isLead)) return read;
    // If the one item is missing, its place went to one of the many, which is one too many. The next page begins with it.
    return { items: read.items.slice(0, wanted), position: [this.startKey(last)] };
  }
}

function withLead(page: PageInput, from: unknown): PageInput {
  const { wanted } = page;
  return from !== undefined || wanted === undefined ? page : { ...page, wanted: wanted + 1 };
}
