/** Columns of text: the first aligned to the left, the others to the right. Empty columns are left out. */
export function textTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const used = header.map((_, column) => rows.some((row) => (row[column] ?? '') !== ''));
  const columns = header.map((_, column) => column).filter((column) => column === 0 || used[column] === true);
  const widths = columns.map((column) => Math.max(...[header, ...rows].map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    columns
      .map((column, position) => {
        const width = widths[position] ?? 0;
        const text = row[column] ?? '';
        return position === 0 ? text.padEnd(width) : text.padStart(width);
      })
      .join('  ')
      .trimEnd();
  const rule = '-'.repeat(widths.reduce((sum, width) => sum + width + 2, -2));
  return [line(header), rule, ...rows.map(line)].join('\n');
}
