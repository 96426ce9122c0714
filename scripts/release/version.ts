/** Whether `next` is a release version, such as `0.2.0`, that comes after `current`. */
export function isNextVersion(next: string, current: string): boolean {
  const numbers = numbersOf(next)
  const before = numbersOf(current)
  if (!numbers || !before) return false
  const differing = numbers.findIndex((number, at) => number !== before[at])
  return differing >= 0 && Number(numbers[differing]) > Number(before[differing])
}

function numbersOf(version: string): readonly number[] | undefined {
  return /^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(version) ? version.split('.').map(Number) : undefined
}
