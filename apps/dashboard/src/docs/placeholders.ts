/** What placeholders stand for, by name. */
export type Values = Readonly<Record<string, string>>

/** The placeholders in texts, each once. Braces of JSON are never around a single word. */
export function placeholdersIn(...texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap(text => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)))]
}

/** Replaces placeholders; those without a value stay. */
export function fill(
  text: string,
  values: Values,
  write: (value: string) => string = value => value,
): string {
  return text.replaceAll(/\{(\w+)\}/g, (hole, name: string) => (values[name] ? write(values[name]) : hole))
}
