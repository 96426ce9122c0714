import { nodeBelow } from './older-node.ts'

/** The oldest Node that the client supports. */
export const node20 = () => nodeBelow('client')
