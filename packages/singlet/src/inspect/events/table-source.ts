import type { RequestContext } from '../../engine/index.ts';
import { ResourceNotFoundException } from '../../values/service-error.ts';
import type { InspectServices } from '../endpoint.ts';
import type { InspectionEvent } from './inspection-event.ts';

/** The number of tables whose settings are checked for changes; of further ones only the names are. */
const describedTablesMax = 100;

interface ListTablesOutput {
  readonly TableNames: readonly string[];
  readonly LastEvaluatedTableName?: string;
}

/** Reports tables that are created, deleted, or changed in anything except their counts. */
export class TableSource {
  readonly #services: InspectServices;
  readonly #context: RequestContext;
  #known: ReadonlyMap<string, string> | undefined;

  constructor(services: InspectServices, context: RequestContext) {
    this.#services = services;
    this.#context = context;
  }

  async poll(): Promise<readonly InspectionEvent[]> {
    const before = this.#known;
    const now = await this.#look();
    this.#known = now;
    if (before === undefined) return [];
    const event = (table: string, change: 'created' | 'changed' | 'deleted'): InspectionEvent => ({
      topic: 'table',
      data: { table, change },
    });
    return [
      ...Array.from(now).flatMap(([name, text]) => {
        const old = before.get(name);
        if (old === text) return [];
        return [event(name, old === undefined ? 'created' : 'changed')];
      }),
      ...Array.from(before.keys()).flatMap((name) => (now.has(name) ? [] : [event(name, 'deleted')])),
    ];
  }

  async #look(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    let start: string | undefined;
    do {
      const input = start === undefined ? {} : { ExclusiveStartTableName: start };
      const page = (await this.#services.call('ListTables', input, this.#context)) as ListTablesOutput;
      for (const name of page.TableNames) {
        const text = found.size < describedTablesMax ? await this.#describe(name) : '';
        if (text !== undefined) found.set(name, text);
      }
      start = page.LastEvaluatedTableName;
    } while (start !== undefined);
    return found;
  }

  async #describe(TableName: string): Promise<string | undefined> {
    try {
      const answer = await this.#services.call('DescribeTable', { TableName }, this.#context);
      return JSON.stringify(answer, (name, value: unknown) => (changing.has(name) ? undefined : value));
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return undefined;
      throw error;
    }
  }
}

/** Members that change with every write. */
const changing: ReadonlySet<string> = new Set(['ItemCount', 'TableSizeBytes', 'IndexSizeBytes']);
