import { codeAt, isNamePart, startsName } from './characters.ts'
import { nextNode, Trie } from './trie.ts'

/** The maximum number of known names, and the length of tables indexed by their numbers. */
export const maxNames = 512

/** Longer than all known names. */
const maxNameLength = 40

/** Known names by number; 0 is the number of all unknown names. */
const known: string[] = ['']
const numbers = new Map<string, number>()
/** Numbers by the spelling of names. */
const spellings = new Trie<number>()

/** Registers a known name and returns its number. */
export function internName(name: string): number {
  const before = numbers.get(name)
  if (before !== undefined) return before
  const number = known.push(name) - 1
  if (number >= maxNames) throw new RangeError('more names than maxNames')
  numbers.set(name, number)
  spellings.add(name, number)
  return number
}

/** The number of a name in any case; 0 if it is unknown. */
export function numberOfName(name: string): number {
  return numbers.get(name) ?? (name.length > maxNameLength ? 0 : (numbers.get(name.toLowerCase()) ?? 0))
}

/** The name in a span. Known names are not copied from the text. */
export function nameIn(text: string, start: number, end: number, number: number): string {
  return (number > 0 ? known[number] : undefined) ?? text.slice(start, end)
}

/** The end of the last name that was read. */
export let nameStop = 0

/** Reads the name at `at`, optionally with dots, and returns its number. */
export function readName(text: string, at: number, end: number, dotted: boolean): number {
  let node = spellings.root
  let code = codeAt(text, at, end)
  for (let next = nextNode(node, code); next > 0; next = nextNode(node, code)) {
    node = next
    code = codeAt(text, ++at, end)
  }
  // Beyond all known names, an unknown one may continue.
  const known = at
  while (isNamePart(code) || (dotted && code === 46 && startsName(codeAt(text, at + 1, end))))
    code = codeAt(text, ++at, end)
  nameStop = at
  return at > known ? 0 : (spellings.at(node) ?? 0)
}
