/** Rows as a CSV file, as spreadsheets read it. A text that would be a formula there is marked as text. */
export function csvOf(
  titles: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  return [titles, ...rows].map(row => row.map(cellOf).join(',')).join('\r\n')
}

function cellOf(value: string | number | null): string {
  if (typeof value === 'number') return String(value)
  const text = value ?? ''
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Saves a text as a file of the person. */
export function download(name: string, text: string, type = 'text/csv'): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
