import { isBlank, isLetter, isNamePart } from './characters.ts'

/** The tags that families put around thoughts, calls and answers. Other tags are text. */
const tags: ReadonlySet<string> = new Set(
  (
    'think thinkt thinking thought thoughts reasoning reason reflection tool_call tool_calls seed:tool_call seed:think ' +
    'minimax:tool_call function_calls invoke function parameter answer action actions conclusion computer_env gui_env output response summary memory'
  ).split(' '),
)

const maxTagLength = 100

/** The end of the markup that starts at `at`, or 0 if there is none. */
export function markupEnd(text: string, at: number, end: number): number {
  const code = text.charCodeAt(at)
  if (code === 96) return fenceEnd(text, at, end)
  if (code !== 60) return 0
  return text.charCodeAt(at + 1) === 124 ? tokenEnd(text, at, end) : tagEnd(text, at, end)
}

/** Three backticks and a language at the end of the line. */
function fenceEnd(text: string, at: number, end: number): number {
  if (!text.startsWith('```', at)) return 0
  const start = at + 3
  const limit = Math.min(end, start + 20)
  let stop = start
  while (stop < limit && isLanguage(text.charCodeAt(stop))) stop++
  return stop < end && !isBlank(text.charCodeAt(stop)) ? Math.min(start, end) : Math.min(stop, end)
}

/** Languages are in lowercase, unlike the `DONE` that some models put in a fence. */
function isLanguage(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 95
}

/** A special token of a tokenizer: `<|name|>`. */
function tokenEnd(text: string, at: number, end: number): number {
  const start = at + 2
  at = start
  while (at < end && at - start < 40 && isNamePart(text.charCodeAt(at))) at++
  return at > start && text.charCodeAt(at) === 124 && text.charCodeAt(at + 1) === 62 && at + 2 <= end
    ? at + 2
    : 0
}

function tagEnd(text: string, at: number, end: number): number {
  let start = at + 1
  if (text.charCodeAt(start) === 47) start++
  if (!isLetter(text.charCodeAt(start))) return 0
  let stop = start
  while (stop < end && stop - start < maxTagLength && isTagPart(text.charCodeAt(stop))) stop++
  const name = text.slice(start, stop).toLowerCase()
  if (!tags.has(name) && !name.startsWith('think_')) return 0
  const limit = Math.min(end, at + maxTagLength)
  while (stop < limit && text.charCodeAt(stop) !== 62) {
    if (text.charCodeAt(stop) === 60) return 0
    stop++
  }
  return stop < limit ? stop + 1 : 0
}

export function isTagPart(code: number): boolean {
  return isNamePart(code) || code === 58
}
