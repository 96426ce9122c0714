/** Symbols are fewer than this, so that a count and its symbol fit into one exact number to sort by. */
const symbolLimit = 4096

/**
 * How many bits each symbol gets in the shortest prefix code for these counts, `longest` at most; none where the count
 * is 0, one where a symbol is alone. While the shortest has codes that are too long, the counts are brought closer
 * together, which ends, since equal counts make equal lengths.
 */
export function codeLengths(counts: Uint32Array, longest: number): Uint8Array {
  let leaves = sortedLeaves(counts)
  let depths = depthsOf(leaves)
  while ((depths[0] ?? 0) > longest) {
    leaves = leaves.map(leaf => Math.ceil(countOf(leaf) / 2) * symbolLimit + symbolOf(leaf)).sort()
    depths = depthsOf(leaves)
  }
  const lengths = new Uint8Array(counts.length)
  leaves.forEach((leaf, at) => {
    lengths[symbolOf(leaf)] = depths[at] ?? 0
  })
  return lengths
}

/** Each symbol that occurs, together with its count, the rarest first. */
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
 * How deep each leaf lies in Huffman's tree, the rarest deepest. There are two queues, the leaves and the nodes made of
 * them, both in the order of their counts: the two rarest of both become the next node, until one is left.
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
