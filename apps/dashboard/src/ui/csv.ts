import { saveFile } from './save-file.ts'

/** Rows as a CSV file, as spreadsheets read it. A text that would be a formula there is marked as text. */
function csvOf(titles: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  return [titles, ...rows].map(row => row.map(cellOf).join(',')).join('\r\n')
}

function cellOf(value: string | number | null): string {
  if (typeof value === 'number') return String(value)
  const text = value ?? ''
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Saves rows as a file of the person. */
export function saveCsv(name: string, ...table: Parameters<typeof csvOf>): void {
  saveFile(new Blob([csvOf(...table)], { type: 'text/csv' }), name)
}
