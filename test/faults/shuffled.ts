/** Shuffles a list, so that no fault relies on the one before it. */
export function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map(item => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
