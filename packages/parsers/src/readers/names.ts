import { codeAt, isNamePart, startsName } from './characters.ts'
import { step, Words } from './words.ts'

/** At most so many names are known; the tables by their numbers are this long. */
export const maxNames = 512

/** No known name is longer. */
const longestName = 40

/** Known names by their numbers, of which 0 is that of every unknown one. */
const known: string[] = ['']
const numbers = new Map<string, number>()
/** The numbers by the spellings of the names. */
const spellings = new Words<number>()

/** Makes a name a known one, and answers its number. */
export function learn(name: string): number {
  const before = numbers.get(name)
  if (before !== undefined) return before
  const number = known.push(name) - 1
  if (number >= maxNames) throw new RangeError('more names than maxNames')
  numbers.set(name, number)
  spellings.add(name, number)
  return number
}

/** In whatever case it is written. */
export function numberOfName(name: string): number {
  return numbers.get(name) ?? (name.length > longestName ? 0 : (numbers.get(name.toLowerCase()) ?? 0))
}

/** The name in the span, without cutting it out where it is a known one. */
export function nameIn(text: string, start: number, end: number, number: number): string {
  return (number > 0 ? known[number] : undefined) ?? text.slice(start, end)
}

/** Where the last name that was read ended. */
export let nameStop = 0

/** Reads the name at `at`, which dots may join to further ones, and answers its number. */
export function readName(text: string, at: number, end: number, dotted: boolean): number {
  let node = spellings.root
  let code = codeAt(text, at, end)
  for (let next = step(node, code); next > 0; next = step(node, code)) {
    node = next
    code = codeAt(text, ++at, end)
  }
  // Where no known name goes on, another name may.
  const known = at
  while (isNamePart(code) || (dotted && code === 46 && startsName(codeAt(text, at + 1, end))))
    code = codeAt(text, ++at, end)
  nameStop = at
  return at > known ? 0 : (spellings.at(node) ?? 0)
}
