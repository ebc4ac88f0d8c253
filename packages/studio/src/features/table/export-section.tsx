import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';
import { Failure } from '../../ui/failure.tsx';
import { bytesText, plural, unitsText } from '../../ui/figures.ts';
import { saveFile } from '../../ui/save-file.ts';
import { plainText } from '../../values/exported-items.ts';
import { call, type Exchange } from '../../wire/client.ts';
import { inFlight, writesAtOnce } from '../../wire/in-flight.ts';
import type { TableDescription } from '../../wire/table-description.ts';
import { TransferProgress } from './transfer-progress.tsx';

const lineFormats = {
  'DynamoDB JSON, an item on each line': (item: AttributeMap) => JSON.stringify({ Item: item }),
  'JSON, an item on each line': (item: AttributeMap) => plainText({ M: item }),
} as const;
type LineFormat = keyof typeof lineFormats;

/** What a browser keeps of one file before it is saved. Larger tables are exported by the command. */
const exportBytesMax = 1024 ** 3;

interface ExportProgress {
  readonly items: number;
  readonly durationMs: number;
  readonly isDone: boolean;
  readonly isCut: boolean;
  readonly error?: Error | undefined;
}

/** Reads the table, several parts at once, and saves it as a file. */
export function ExportSection({
  table,
  onExchange,
}: {
  readonly table: TableDescription;
  readonly onExchange: (exchange: Exchange) => void;
}): ReactNode {
  const { TableName, ItemCount = 0, TableSizeBytes = 0 } = table;
  const [format, setFormat] = useState<LineFormat>('DynamoDB JSON, an item on each line');
  const [progress, setProgress] = useState<ExportProgress>();
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  const start = async (): Promise<void> => {
    abort.current = new AbortController();
    const { signal } = abort.current;
    const startedMs = performance.now();
    const parts: string[] = [];
    const sum: { items: number; length: number; error?: Error } = { items: 0, length: 0 };
    const isCut = (): boolean => sum.length > exportBytesMax;
    const tell = (isDone: boolean): void =>
      setProgress({
        items: sum.items,
        durationMs: performance.now() - startedMs,
        isDone,
        isCut: isCut(),
        error: sum.error,
      });
    tell(false);
    const readSegment = async (Segment: number): Promise<void> => {
      let after: AttributeMap | undefined;
      try {
        do {
          const segment = { Segment, TotalSegments: writesAtOnce, ...(after && { ExclusiveStartKey: after }) };
          const page: { Items: readonly AttributeMap[]; LastEvaluatedKey?: AttributeMap } = await call(
            'Scan',
            { TableName, ...segment },
            { onExchange, signal },
          );
          const text = page.Items.map((item) => `${lineFormats[format](item)}\n`).join('');
          parts.push(text);
          sum.items += page.Items.length;
          sum.length += text.length;
          after = page.LastEvaluatedKey;
          tell(false);
        } while (after !== undefined && sum.error === undefined && !isCut());
      } catch (cause) {
        if (!signal.aborted) sum.error ??= cause as Error; // call() throws errors only
      }
    };
    await inFlight(
      Array.from({ length: writesAtOnce }, (_, segment) => segment),
      readSegment,
      signal,
    );
    if (!signal.aborted && sum.error === undefined && !isCut())
      saveFile(`${TableName}.jsonl`, 'application/x-ndjson', parts);
    tell(true);
  };
  return (
    <section className="transfer" aria-label="Export">
      <h3>Export</h3>
      <p className="options">
        <select
          className="field"
          aria-label="Format of the export"
          value={format}
          onChange={(event) => setFormat(event.target.value as LineFormat)} // one of the options
        >
          {Object.keys(lineFormats).map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <button
          type="button"
          className="button"
          disabled={progress !== undefined && !progress.isDone}
          onClick={() => void start()}
        >
          Export {TableName}
        </button>
      </p>
      <p className="quiet">
        Scans {plural(ItemCount, 'item')}, {bytesText(TableSizeBytes)}, for about{' '}
        {unitsText(Math.max(0.5, Math.ceil(TableSizeBytes / 4096) / 2))} RCU. It is not a snapshot: changes that are
        made in the meantime may or may not be in it.
      </p>
      {progress && (
        <TransferProgress
          label="Export"
          done={progress.items}
          whole={progress.isDone && !progress.isCut && progress.error === undefined ? progress.items : ItemCount}
          text={`${plural(progress.items, 'item')} read`}
          items={progress.items}
          durationMs={progress.durationMs}
          isDone={progress.isDone}
          onStop={() => abort.current?.abort()}
        />
      )}
      {progress?.isCut === true && (
        <p role="alert">
          The file would be larger than {bytesText(exportBytesMax)}. Use{' '}
          <code className="mono">npx singlet export</code>.
        </p>
      )}
      {progress?.error && <Failure error={progress.error} />}
    </section>
  );
}
