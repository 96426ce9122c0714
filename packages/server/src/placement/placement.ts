import type { Database } from '../db/database.ts'
import { here, type Location } from './location.ts'
import { nodeTag } from './node-tag.ts'
import type { Peers } from './peers/peers.ts'

export interface PlacementParts {
  /** The node that this process is. */
  readonly nodeId: string
  readonly db: Database
  readonly peers: Peers
}

/**
 * Decides where a machine lives. Only this module compares the ids of nodes; the others ask it, and forward what is not
 * theirs by `peers`.
 */
export class Placement {
  /** For rows that belong to this node. */
  readonly nodeId: string
  readonly peers: Peers
  readonly #db: Database

  constructor({ nodeId, db, peers }: PlacementParts) {
    this.nodeId = nodeId
    this.peers = peers
    this.#db = db
  }

  /**
   * Which process has the machine of a sandbox.
   *
   * @example
   * const location = placement.locate(sandbox)
   * if (location.at === 'gone') throw gone(location)
   * if (location.at === 'node') return placement.peers.forward(request, reply, location.nodeId)
   */
  locate({ node_id: nodeId }: { readonly node_id: string | null }): Location {
    if (nodeId === this.nodeId) return here
    if (nodeId === null) return { at: 'gone', reason: 'No process of the service has this machine.' }
    return { at: 'node', nodeId }
  }

  /** Which process took a picture, by the tag in the picture's id. */
  async locateTag(tag: string): Promise<Location> {
    if (tag === nodeTag(this.nodeId)) return here
    const nodes = await this.#db.selectFrom('nodes').select('id').execute()
    const node = nodes.find(({ id }) => nodeTag(id) === tag)
    return node
      ? this.locate({ node_id: node.id })
      : { at: 'gone', reason: 'The process that took this screenshot is not there any more.' }
  }

  /** Whether an announcement to a node is for this process. */
  isHere(nodeId: string): boolean {
    return nodeId === this.nodeId
  }
}
