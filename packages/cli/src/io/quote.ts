/** Writes words so that a shell reads them as they are, whatever characters they have. */
export function quote(...words: readonly string[]): string {
  return words
    .map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ')
}
