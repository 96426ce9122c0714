/** More than the number of symbols, so that a count and its symbol fit into one exact number that sorts by count. */
const symbolLimit = 4096

/**
 * The code lengths of an optimal prefix code for these counts, at most `maxLength`: 0 for symbols that do not occur,
 * and 1 for a single symbol. While a code is too long, the counts are halved, which ends because equal counts produce
 * equal lengths.
 */
export function codeLengths(counts: Uint32Array, maxLength: number): Uint8Array {
  let leaves = sortedLeaves(counts)
  let depths = depthsOf(leaves)
  while ((depths[0] ?? 0) > maxLength) {
    leaves = leaves.map(leaf => Math.ceil(countOf(leaf) / 2) * symbolLimit + symbolOf(leaf)).sort()
    depths = depthsOf(leaves)
  }
  const lengths = new Uint8Array(counts.length)
  leaves.forEach((leaf, at) => {
    lengths[symbolOf(leaf)] = depths[at] ?? 0
  })
  return lengths
}

/** The occurring symbols with their counts, rarest first. */
function sortedLeaves(counts: Uint32Array): Float64Array {
  const leaves = new Float64Array(counts.length)
  let total = 0
  for (let symbol = 0; symbol < counts.length; symbol++) {
    const count = counts[symbol] ?? 0
    if (count > 0) leaves[total++] = count * symbolLimit + symbol
  }
  return leaves.subarray(0, total).sort()
}

const countOf = (leaf: number) => Math.floor(leaf / symbolLimit)
const symbolOf = (leaf: number) => leaf % symbolLimit

/**
 * The depth of each leaf in the Huffman tree, rarest deepest. Two queues, leaves and inner nodes, are both ordered by
 * count; the two rarest of both are merged until one node is left.
 */
function depthsOf(leaves: Float64Array): Uint8Array {
  const total = leaves.length
  if (total < 2) return new Uint8Array(total).fill(1)
  const weights = new Float64Array(2 * total - 1)
  for (let at = 0; at < total; at++) weights[at] = countOf(leaves[at] ?? 0)
  const parents = new Uint16Array(weights.length)
  let leaf = 0
  let node = total
  for (let made = total; made < weights.length; made++)
    for (let child = 0; child < 2; child++) {
      const leafIsRarer = leaf < total && (node === made || (weights[leaf] ?? 0) <= (weights[node] ?? 0))
      const rarest = leafIsRarer ? leaf++ : node++
      weights[made] = (weights[made] ?? 0) + (weights[rarest] ?? 0)
      parents[rarest] = made
    }
  const depths = new Uint8Array(weights.length)
  for (let at = weights.length - 2; at >= 0; at--) depths[at] = (depths[parents[at] ?? 0] ?? 0) + 1
  return depths.subarray(0, total)
}
