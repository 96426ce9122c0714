/** Gives a file to the browser, which saves it. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has to begin before the address is gone.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
