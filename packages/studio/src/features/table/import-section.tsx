import { type ReactNode, useEffect, useRef, useState } from 'react';
import { catalog } from '../../app/catalog.ts';
import { isRemote } from '../../app/server-name.ts';
import { Failure } from '../../ui/failure.tsx';
import { bytesText, countText, plural } from '../../ui/figures.ts';
import {
  type ImportedItem,
  type ImportFormat,
  importedItems,
  importFormats,
  likelyFormat,
} from '../../values/imported-items.ts';
import type { Exchange } from '../../wire/client.ts';
import type { TableDescription } from '../../wire/table-description.ts';
import { importFile, type ImportProgress, refusalsMax, textOfFile } from './table-import.ts';
import { TransferProgress } from './transfer-progress.tsx';

interface ImportSectionProps {
  readonly table: TableDescription;
  readonly onExchange: (exchange: Exchange) => void;
}

const previewItems = 5;
const beginningLength = 4096;

/** Puts the items of a file into the table: first what they are, then, once told to, with progress, speed and what was refused. */
export function ImportSection({ table, onExchange }: ImportSectionProps): ReactNode {
  const [file, setFile] = useState<File>();
  const [format, setFormat] = useState<ImportFormat>('dynamodb-json');
  const [preview, setPreview] = useState<readonly ImportedItem[]>();
  const [progress, setProgress] = useState<ImportProgress>();
  const [error, setError] = useState<Error>();
  const [confirmed, setConfirmed] = useState('');
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  useEffect(() => {
    if (file === undefined) return undefined;
    let isStale = false;
    const look = async (): Promise<void> => {
      try {
        const found: ImportedItem[] = [];
        for await (const each of importedItems(
          format,
          textOfFile(file, () => undefined),
          keyTypesOf(table),
        )) {
          found.push(each);
          if (found.length >= previewItems) break;
        }
        if (!isStale) setPreview(found);
      } catch (cause) {
        if (!isStale) setError(cause as Error); // the file cannot be read
      }
    };
    void look();
    return () => void (isStale = true);
  }, [file, format, table]);
  const choose = async (chosen: File | undefined): Promise<void> => {
    setProgress(undefined);
    setPreview(undefined);
    setError(undefined);
    if (chosen === undefined) return setFile(undefined);
    let beginning = '';
    try {
      for await (const text of textOfFile(chosen, () => undefined)) {
        beginning += text;
        if (beginning.length >= beginningLength) break;
      }
    } catch (cause) {
      return setError(cause as Error); // the file cannot be read
    }
    setFormat(likelyFormat(chosen.name, beginning));
    setFile(chosen);
  };
  const start = async (): Promise<void> => {
    if (file === undefined) return;
    abort.current = new AbortController();
    const { signal } = abort.current;
    await importFile({ table, file, format, signal, onExchange, onProgress: setProgress });
    await catalog.refresh();
  };
  const isBusy = progress !== undefined && !progress.isDone;
  const isConfirmed = !isRemote() || confirmed === table.TableName;
  return (
    <section className="transfer" aria-label="Import">
      <h3>Import</h3>
      <p className="options">
        <input
          type="file"
          aria-label="File to import"
          accept=".json,.jsonl,.ndjson,.csv,.gz"
          disabled={isBusy}
          onChange={(event) => void choose(event.target.files?.[0])}
        />
        <select
          className="field"
          aria-label="Format of the file"
          value={format}
          disabled={isBusy}
          onChange={(event) =>
            setFormat(importFormats.find((each) => each.format === event.target.value)?.format ?? 'json')
          }
        >
          {importFormats.map(({ format: each, title }) => (
            <option key={each} value={each}>
              {title}
            </option>
          ))}
        </select>
      </p>
      {error && <Failure error={error} />}
      {preview && progress === undefined && (
        <>
          <p className="quiet">The first items as they would be put:</p>
          <ul className="import-preview mono" tabIndex={0} aria-label="First items of the file">
            {preview.map((each) => (
              <li key={each.line}>
                {'item' in each ? (
                  JSON.stringify(each.item)
                ) : (
                  <span className="sign bad">
                    × line {each.line}: {each.problem}
                  </span>
                )}
              </li>
            ))}
          </ul>
          <p>
            {bytesText(file?.size ?? 0)}. An item with the key of one in {table.TableName} replaces it. This cannot be
            undone.
          </p>
          {isRemote() && (
            <label className="confirm">
              <span>This server is not on this machine. Type {table.TableName} to continue</span>{' '}
              <input className="field mono" value={confirmed} onChange={(event) => setConfirmed(event.target.value)} />
            </label>
          )}
          <button type="button" className="button main" disabled={!isConfirmed} onClick={() => void start()}>
            Import into {table.TableName}
          </button>
        </>
      )}
      {progress && (
        <>
          <TransferProgress
            label="Import"
            done={progress.bytesRead}
            whole={progress.bytes}
            text={`${plural(progress.written, 'item')} written, ${countText(progress.refused)} refused`}
            items={progress.written}
            durationMs={progress.durationMs}
            isDone={progress.isDone}
            onStop={() => abort.current?.abort()}
          />
          {progress.error && <Failure error={progress.error} />}
          {progress.refusals.length > 0 && (
            <details open>
              <summary>Refused{progress.refused > refusalsMax ? `, the first ${countText(refusalsMax)}` : ''}</summary>
              <ul className="import-preview mono" tabIndex={0} aria-label="Refused items">
                {progress.refusals.map(({ line, problem }) => (
                  <li key={line}>
                    line {line}: {problem}
                  </li>
                ))}
              </ul>
            </details>
          )}
        </>
      )}
    </section>
  );
}

function keyTypesOf({ AttributeDefinitions }: TableDescription): Record<string, 'S' | 'N' | 'B'> {
  return Object.fromEntries(
    AttributeDefinitions.map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType]),
  );
}
