import { createHash } from 'node:crypto'

/**
 * A short hash of a node's id. Screenshot ids contain it instead of the node's id, so that they do not reveal the nodes
 * to clients.
 */
export function nodeTag(nodeId: string): string {
  return createHash('sha256').update(nodeId).digest('hex').slice(0, 12)
}

/** Returns whether the node with this tag took a picture. */
export function isTakenBy(picture: { readonly node: string }, tag: string): boolean {
  return picture.node === tag
}
