import type { Example } from './command-definition.ts'

/** The examples, as they stand below the help of a command. */
export function helpFor({ examples = [] }: { readonly examples?: readonly Example[] }): string {
  const lines = examples.map(({ command, explanation }) => `  # ${explanation}\n  $ ${command}`)
  return `\nExamples:\n${lines.join('\n')}`
}
