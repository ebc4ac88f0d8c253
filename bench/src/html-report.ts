import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderReport } from './report.ts';
import type { BenchResults } from './results.ts';

/** The figures as one self-contained page with charts: it includes the chart library and the data. */
export function renderHtml(results: BenchResults): string {
  const chartLibrary = readFileSync(
    join(dirname(fileURLToPath(import.meta.resolve('chart.js'))), 'chart.umd.min.js'),
    'utf8',
  );
  const page = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
  const title = `Singlet ${results.versions.singlet}: benchmarks, ${results.startedAt.slice(0, 10)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>
${page('./report-page.css')}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p id="scene"></p>
<div id="report"></div>
<details><summary>The same as text</summary><pre>${escaped(renderReport(results))}</pre></details>
</main>
<script>${inScript(chartLibrary)}</script>
<script type="application/json" id="results">${inScript(JSON.stringify(results))}</script>
<script>
${inScript(page('./report-page.js'))}</script>
</body>
</html>
`;
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Text that cannot end the script element that contains it: `<` is escaped where it could. */
function inScript(text: string): string {
  return text.replaceAll(/<(?=\/script|!--)/gi, String.raw`\u003c`);
}
