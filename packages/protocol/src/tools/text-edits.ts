import { ToolError } from './tool-error.ts'

/** The longest part of a file that is shown at once. */
const maxCharacters = 50_000

/** Returns the lines of a text with line numbers. */
export function numberedLines(text: string, first = 1, last = Number.POSITIVE_INFINITY): string {
  if (text === '') return 'The file is empty.'
  const lines = text.replace(/\n$/, '').split('\n')
  if (first > lines.length)
    throw new ToolError(`The file has ${lines.length} lines, and firstLine is ${first}.`)
  if (last < first) throw new ToolError(`lastLine is ${last}, which is before firstLine, ${first}.`)
  const start = Math.max(1, first)
  const numbered = lines.slice(start - 1, last).map((line, index) => `${start + index}\t${line}`)
  const shown = numbered.join('\n')
  if (shown.length <= maxCharacters) return shown
  return `${shown.slice(0, maxCharacters)}\n… The file continues; give firstLine and lastLine to see more of its ${lines.length} lines.`
}

/** Replaces a passage of a text. The passage must occur exactly once. */
export function replaceOnce(text: string, oldText: string, newText: string): string {
  const at = text.indexOf(oldText)
  if (at < 0) throw new ToolError('oldText is not in the file. View the file, and give the exact text.')
  if (text.indexOf(oldText, at + 1) >= 0)
    throw new ToolError('oldText is in the file more than once. Include more of the surrounding lines.')
  return text.slice(0, at) + newText + text.slice(at + oldText.length)
}

/** Inserts text after a line, and adds missing line breaks around it. */
export function insertAfterLine(text: string, afterLine: number, more: string): string {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  if (afterLine > lines.length)
    throw new ToolError(`The file has ${lines.length} lines, so line goes from 0 to ${lines.length}.`)
  lines.splice(afterLine, 0, ...more.replace(/\n$/, '').split('\n'))
  return `${lines.join('\n')}\n`
}
