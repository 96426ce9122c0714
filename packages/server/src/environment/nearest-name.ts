/** Returns the known name that a person most likely meant, or undefined if none is similar. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    // The prefix is what people leave out most.
    const distance = Math.min(
      distanceBetween(name.toUpperCase(), candidate),
      distanceBetween(`SANDGLASS_${name.toUpperCase()}`, candidate),
    )
    if (distance < least) [nearest, least] = [candidate, distance]
  }
  return nearest !== undefined && least <= nearest.length / 3 ? nearest : undefined
}

/** How many characters have to be inserted, removed or replaced to get from one text to the other (Levenshtein). */
function distanceBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
