import { textTable } from '../text-table.ts';
import { measureChecks } from './checking.ts';
import { cpuTimes } from './cpu-time.ts';
import { largeSources } from './large-sources.ts';
import { itemsPerPage, readingCalls } from './reading.ts';
import { requestKinds, requestSubjects } from './requests.ts';
import { measureTypes } from './type-checks.ts';

interface Row {
  readonly what: string;
  readonly singlet: string;
  readonly other: string;
  readonly ratio: string;
  readonly target: string;
}

/** `npm run bench -- model`: what the toolkit costs, compared with popular libraries and the SDK itself. */
export async function benchModel(argv: readonly string[]): Promise<string> {
  const quick = argv.includes('--quick');
  const sources = await largeSources();
  const rows = [
    ...(await requestRows(quick)),
    ...(await readingRows(quick)),
    ...typeRows(measureTypes(sources, quick ? 2 : 6)),
    ...(await checkRows(sources.singlet ?? '', quick ? 2 : 5)),
  ];
  const cells = rows.map(({ what, singlet, other, ratio, target }) => [what, singlet, other, ratio, target]);
  return `The model toolkit\n\n${textTable(['', '@singlet/model', 'the other', 'ratio', 'promised'], cells)}\n`;
}

async function requestRows(quick: boolean): Promise<Row[]> {
  const subjects = await requestSubjects();
  const rows: Row[] = [];
  for (const kind of requestKinds) {
    const calls = Object.fromEntries(Object.entries(subjects).map(([name, each]) => [name, each[kind]]));
    const { singlet = 0, ...others } = await cpuTimes(calls, { rounds: quick ? 3 : 8, repeat: quick ? 2000 : 20_000 });
    for (const [name, time] of Object.entries(others)) {
      rows.push({
        what: `build a ${kind} request, CPU; ${name}`,
        singlet: `${singlet.toFixed(2)} µs`,
        other: `${time.toFixed(2)} µs`,
        ratio: `${(time / singlet).toFixed(1)} times faster`,
        target: 'below 3 µs, at least 4 times',
      });
    }
  }
  return rows;
}

async function readingRows(quick: boolean): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [kind, calls] of Object.entries(readingCalls())) {
    const rounds = { rounds: quick ? 3 : 8, repeat: quick ? 50 : 400 };
    const { singlet = 0, unmarshall = 0 } = await cpuTimes(calls, rounds);
    rows.push({
      what: `read a ${kind} item, CPU; unmarshall of the SDK`,
      singlet: `${(singlet / itemsPerPage).toFixed(2)} µs`,
      other: `${(unmarshall / itemsPerPage).toFixed(2)} µs`,
      ratio: `${(unmarshall / singlet).toFixed(1)} times faster`,
      target: 'not slower',
    });
  }
  return rows;
}

function typeRows({ singlet, electrodb }: ReturnType<typeof measureTypes>): Row[] {
  if (singlet === undefined || electrodb === undefined) return [];
  const share = (own: number, other: number): string => `${((100 * own) / other).toFixed(0)} % of it`;
  return [
    {
      what: '20 entities, 100 patterns: instantiations; electrodb',
      singlet: String(singlet.instantiations),
      other: String(electrodb.instantiations),
      ratio: share(singlet.instantiations, electrodb.instantiations),
      target: 'at most 60000',
    },
    {
      what: '20 entities, 100 patterns: check time; electrodb',
      singlet: `${singlet.checkSeconds.toFixed(3)} s`,
      other: `${electrodb.checkSeconds.toFixed(3)} s`,
      ratio: share(singlet.checkSeconds, electrodb.checkSeconds),
      target: 'at most a third',
    },
  ];
}

async function checkRows(source: string, rounds: number): Promise<Row[]> {
  const measured = await measureChecks(source, rounds);
  return measured.map(({ model, entities, patterns, callMs, commandMs }) => ({
    what: `check of ${model}, ${entities} entities, ${patterns} patterns, CPU`,
    singlet: `${callMs.toFixed(0)} ms`,
    other: `singlet check: ${commandMs.toFixed(0)} ms`,
    ratio: '',
    target: 'below 1 s',
  }));
}
