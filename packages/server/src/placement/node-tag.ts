import { createHash } from 'node:crypto'

/** A node's id in short, as the ids of pictures carry it: it tells nobody outside which nodes there are. */
export function nodeTag(nodeId: string): string {
  return createHash('sha256').update(nodeId).digest('hex').slice(0, 12)
}
