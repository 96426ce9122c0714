import type { Database } from '../db/database.ts'
import { here, type Location } from './location.ts'
import { nodeTag } from './node-tag.ts'
import type { Peers } from './peers/peers.ts'

export interface PlacementParts {
  /** The node id of this process. */
  readonly nodeId: string
  readonly db: Database
  readonly peers: Peers
}

/**
 * Decides where a machine lives. Only this module compares node ids: other modules ask it, and use `peers` to forward
 * calls for machines that another process runs.
 */
export class Placement {
  /** Use this to write rows that belong to this node, not to compare ids. */
  readonly nodeId: string
  readonly peers: Peers
  readonly #db: Database

  constructor({ nodeId, db, peers }: PlacementParts) {
    this.nodeId = nodeId
    this.peers = peers
    this.#db = db
  }

  /**
   * Finds the process that runs the machine of a sandbox.
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

  /** Finds the process that took a screenshot by the tag in the screenshot's id. */
  async locateTag(tag: string): Promise<Location> {
    if (tag === nodeTag(this.nodeId)) return here
    const nodes = await this.#db.selectFrom('nodes').select('id').execute()
    const node = nodes.find(({ id }) => nodeTag(id) === tag)
    return node
      ? this.locate({ node_id: node.id })
      : { at: 'gone', reason: 'The process that took this screenshot is not there any more.' }
  }

  /** Whether an announcement that names a node is meant for this process. */
  isHere(nodeId: string): boolean {
    return nodeId === this.nodeId
  }
}
