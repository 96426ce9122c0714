/** A name as one line that a terminal does not obey: whoever made the file chose it. */
export function printable(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal would obey.
  return name.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '?')
}
